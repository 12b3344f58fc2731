import { type HclBody, bodiesOf, isBody, labelled } from './hcl.ts'
import { type Place, type Resolve, placeOf, workspacePlace } from './scan-backend.ts'
import { joined } from './scan-path.ts'
import { plainReference, referencesIn } from './scan-references.ts'

/** What the code of one folder says about it. */
export interface FolderFacts {
  readonly dir: string
  /** Undefined: it keeps no state of its own, as far as it says. */
  readonly place: Place | undefined
  /** Has something that only a root module, or a module that somebody calls, has. */
  readonly hasContent: boolean
  readonly isTerragrunt: boolean
  /** Folders that it calls as modules. */
  readonly modules: readonly string[]
  readonly uses: readonly Use[]
}

/** "This folder uses outputs of that state", or of that folder. */
export interface Use {
  /** As the code calls it: `data.terraform_remote_state.network`. */
  readonly as: string
  readonly outputs: readonly string[] | null
  readonly inputs: Readonly<Record<string, string>>
  readonly place?: Place
  readonly dir?: string
  /** Why it leads nowhere. */
  readonly lost?: string
}

export function readFolder(
  dir: string,
  files: { readonly code: readonly HclBody[]; readonly terragrunt: readonly HclBody[] },
): FolderFacts {
  const { code, terragrunt } = files
  const resolve = resolver(code)
  const place = placeOfFolder(dir, code, resolve)
  const isTerragrunt = terragrunt.some(
    (body) =>
      'include' in body ||
      'dependency' in body ||
      'dependencies' in body ||
      bodiesOf(body['terraform']).some((block) => 'source' in block),
  )
  return {
    dir,
    place: place ?? (isTerragrunt ? { kind: 'terragrunt', says: 'terragrunt' } : undefined),
    isTerragrunt,
    hasContent: code.some((body) =>
      ['resource', 'module', 'data', 'provider'].some((block) => block in body),
    ),
    modules: [
      ...code.flatMap((body) => labelled(body['module'])).map(({ body }) => body['source']),
      ...terragrunt.flatMap((body) => bodiesOf(body['terraform'])).map((block) => block['source']),
    ].flatMap((source) => localModule(dir, source)),
    uses: [
      ...remoteStates(dir, code, resolve),
      ...tfeOutputs(code, resolve),
      ...dependencies(dir, terragrunt),
    ],
  }
}

function placeOfFolder(dir: string, code: readonly HclBody[], resolve: Resolve): Place | undefined {
  for (const block of code.flatMap((body) => bodiesOf(body['terraform']))) {
    const [backend] = labelled(block['backend'])
    if (backend !== undefined) return placeOf(backend.label, backend.body, { dir, resolve })
    const [cloud] = bodiesOf(block['cloud'])
    if (cloud !== undefined) return placeOf('cloud', cloud, { dir, resolve })
  }
  return undefined
}

function remoteStates(dir: string, code: readonly HclBody[], resolve: Resolve): readonly Use[] {
  const names = referencesIn(code, 'terraform_remote_state')
  return dataSources(code, 'terraform_remote_state').map(({ label, body }) => {
    const kind = resolve(body['backend']) ?? '?'
    const config = isBody(body['config']) ? body['config'] : {}
    const workspace = resolve(body['workspace'])
    const place = placeOf(kind, config, { dir, resolve, ...(workspace === undefined ? {} : { workspace }) })
    const outputs = names.get(label) ?? null
    return { as: `data.terraform_remote_state.${label}`, outputs, inputs: {}, place }
  })
}

function tfeOutputs(code: readonly HclBody[], resolve: Resolve): readonly Use[] {
  const names = referencesIn(code, 'tfe_outputs')
  return dataSources(code, 'tfe_outputs').map(({ label, body }) => {
    const [organization, workspace] = [resolve(body['organization']), resolve(body['workspace'])]
    const place =
      workspace === undefined
        ? { kind: 'cloud', says: 'cloud, computed' }
        : workspacePlace(organization ?? '?', workspace)
    return { as: `data.tfe_outputs.${label}`, outputs: names.get(label) ?? null, inputs: {}, place }
  })
}

function dataSources(code: readonly HclBody[], type: string) {
  return code.flatMap((body) => bodiesOf(body['data'])).flatMap((data) => labelled(data[type]))
}

/** Terragrunt: `dependency` gives outputs, `dependencies` only an order. */
function dependencies(dir: string, bodies: readonly HclBody[]): readonly Use[] {
  const names = referencesIn(bodies, 'dependency')
  const inputs = bodies.flatMap((body) => bodiesOf(body['inputs'])).flatMap((body) => Object.entries(body))
  const used = bodies
    .flatMap((body) => labelled(body['dependency']))
    .map(({ label, body }): Use => {
      const mapped = inputs.flatMap(([variable, value]) => {
        const reference = plainReference(value)
        return reference?.source === label ? [[variable, reference.output] as const] : []
      })
      const as = `dependency.${label}`
      const outputs = names.get(label)
      return {
        as,
        // Null is all of them; what the code never mentions is there for the order.
        outputs: outputs === undefined ? [] : outputs,
        inputs: Object.fromEntries(mapped),
        ...folderAt(dir, body['config_path']),
      }
    })
  const after = bodies
    .flatMap((body) => bodiesOf(body['dependencies']))
    .flatMap((body) => (Array.isArray(body['paths']) ? (body['paths'] as readonly unknown[]) : []))
    .map((path): Use => ({ as: 'dependencies', outputs: [], inputs: {}, ...folderAt(dir, path) }))
  return [...used, ...after]
}

function folderAt(dir: string, path: unknown): Pick<Use, 'dir' | 'lost'> {
  if (typeof path !== 'string') return { lost: 'it names no folder' }
  const plain = path.replace(/^\$\{get_(?:original_)?terragrunt_dir\(\)\}\//, '')
  const fromRoot = /^\$\{get_repo_root\(\)\}\/(.*)$/.exec(plain)
  const found = fromRoot === null ? joined(dir, plain) : joined('.', fromRoot[1] ?? '')
  if (plain.includes('${') && fromRoot === null) return { lost: `its folder is computed: ${path}` }
  return found === undefined ? { lost: `${path} is outside of what was scanned` } : { dir: found }
}

function localModule(dir: string, source: unknown): readonly string[] {
  if (typeof source !== 'string' || !/^\.\.?\//.test(source)) return []
  // Terragrunt writes `folder//module`: the double slash says how much is copied.
  const found = joined(dir, source.replaceAll('//', '/'))
  return found === undefined ? [] : [found]
}

/** Variables with a default and locals that are plain text stand for their text; anything else is for a run to know. */
function resolver(code: readonly HclBody[]): Resolve {
  const known = new Map<string, unknown>([
    ['path.module', '.'],
    ['path.root', '.'],
    ['path.cwd', '.'],
  ])
  for (const body of code) {
    for (const { label, body: variable } of labelled(body['variable']))
      known.set(`var.${label}`, variable['default'])
    for (const locals of bodiesOf(body['locals']))
      for (const [name, value] of Object.entries(locals)) known.set(`local.${name}`, value)
  }
  const resolve = (value: unknown, depth: number): string | undefined => {
    if (typeof value === 'number' || typeof value === 'boolean') return String(value)
    if (typeof value !== 'string' || depth > 10) return undefined
    let isKnown = true
    const text = value.replaceAll(/\$\{([^{}]*)\}/g, (_all, expression: string) => {
      const found = resolve(known.get(expression.trim()), depth + 1)
      isKnown &&= found !== undefined
      return found ?? ''
    })
    return isKnown && !text.includes('${') ? text : undefined
  }
  return (value) => resolve(value, 0)
}
