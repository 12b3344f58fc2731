import { type HclBody, bodiesOf, isBody, labelled, said } from './hcl/hcl.ts'
import { type Scope, evaluate, lazily } from './hcl/evaluate.ts'
import { type Place, placeOf, workspacePlace } from './backend.ts'
import { joined, relativePath } from './path.ts'
import { referencesIn } from './references.ts'

/** The code of one folder, in the order in which later files win. */
export interface CodeFolder {
  readonly bodies: readonly HclBody[]
  /** The values in `terraform.tfvars` and `*.auto.tfvars`. */
  readonly variables: HclBody
}

export type CodeFolders = ReadonlyMap<string, CodeFolder>

/** "This folder uses outputs of that state", or of that folder. */
export interface Use {
  /** As the code calls it: `data.terraform_remote_state.network`. */
  readonly as: string
  readonly outputs: readonly string[] | null
  readonly inputs: Readonly<Record<string, string>>
  readonly place?: Place
  /** The first of them that is a unit. */
  readonly dirs?: readonly string[]
  /** Why it leads nowhere. */
  readonly lost?: string
}

interface Call {
  readonly root: string
  /** The folder that is read: the root's own, or that of a module. */
  readonly dir: string
  /** What the caller gives to variables. */
  readonly given: HclBody
  /** `module.app.`: how the root calls what is in here. */
  readonly prefix: string
  readonly above: readonly string[]
}

interface Backend {
  readonly kind: string
  /** Evaluated: a setting that is there and undefined is one that only a run knows. */
  readonly config: HclBody
}

/** Where a folder's code keeps its state. */
export function placeOfCode(dir: string, folder: CodeFolder): Place | undefined {
  const scope = ownScope(dir, folder)
  const last = folder.bodies.flatMap((body) => backends(body, scope)).at(-1)
  return last === undefined ? undefined : placeOf(last.kind, last.config, { dir })
}

/** The backends that one file of a folder names. */
export function backendsIn(dir: string, folders: CodeFolders, body: HclBody): readonly Backend[] {
  return backends(body, ownScope(dir, folders.get(dir)))
}

function backends(body: HclBody, scope: Scope): readonly Backend[] {
  return bodiesOf(body['terraform']).flatMap((block) => [
    ...labelled(block['backend']).map((one) => ({ kind: one.label, config: settings(one.body, scope) })),
    ...bodiesOf(block['cloud']).map((cloud) => ({ kind: 'cloud', config: settings(cloud, scope) })),
  ])
}

/** The states that one file of a folder reads, as far as the folder alone says. */
export function remoteStatesIn(
  dir: string,
  folders: CodeFolders,
  body: HclBody,
): readonly (Partial<Backend> & { readonly label: string; readonly config: HclBody })[] {
  const scope = ownScope(dir, folders.get(dir))
  return dataSources([body], 'terraform_remote_state').map(({ label, body: block }) => {
    const kind = evaluate(block['backend'], scope)
    const [config = {}] = bodiesOf(evaluate(block['config'], scope))
    return { label, config, ...(typeof kind === 'string' ? { kind } : {}) }
  })
}

function ownScope(dir: string, folder: CodeFolder = { bodies: [], variables: {} }): Scope {
  return scopeOf({ root: dir, dir, given: folder.variables, prefix: '', above: [] }, folder)
}

export function hasContent({ bodies }: CodeFolder): boolean {
  return bodies.some((body) => ['resource', 'module', 'data', 'provider'].some((block) => block in body))
}

/** The folders that a folder calls as modules. */
export function modulesOf(dir: string, { bodies }: CodeFolder): readonly string[] {
  return bodies
    .flatMap((body) => labelled(body['module']))
    .flatMap(({ body }) => localModule(dir, body['source']) ?? [])
}

/** What a root module uses of other states, by itself and through its modules. `given`: what its variables take. */
export function usesOf(
  folders: CodeFolders,
  root: string,
  options: { readonly dir?: string; readonly given?: HclBody } = {},
): readonly Use[] {
  const { dir = root, given = {} } = options
  const variables = { ...folders.get(dir)?.variables, ...given }
  return usesIn(folders, { root, dir, given: variables, prefix: '', above: [] })
}

function usesIn(folders: CodeFolders, call: Call): readonly Use[] {
  const folder = folders.get(call.dir)
  if (folder === undefined || call.above.includes(call.dir)) return []
  const scope = scopeOf(call, folder)
  const inModules = folder.bodies
    .flatMap((body) => labelled(body['module']))
    .flatMap(({ label, body }) => {
      const dir = localModule(call.dir, body['source'])
      if (dir === undefined) return []
      const given = settings(body, scope)
      const above = [...call.above, call.dir]
      return usesIn(folders, { root: call.root, dir, given, prefix: `${call.prefix}module.${label}.`, above })
    })
  return [
    ...remoteStates(call, folder, scope),
    ...tfeOutputs(call, folder, scope),
    ...inModules.filter((use, at) => inModules.findIndex((other) => isSame(use, other)) === at),
  ]
}

function isSame(a: Use, b: Use): boolean {
  return a.as === b.as && a.place?.says === b.place?.says
}

function remoteStates(call: Call, { bodies }: CodeFolder, scope: Scope): readonly Use[] {
  const names = referencesIn(bodies, 'terraform_remote_state')
  return dataSources(bodies, 'terraform_remote_state').flatMap(({ label, body }) =>
    instancesOf(body, scope).map((one): Use => {
      const outputs = names.get(label) ?? null
      const use = { as: `${call.prefix}data.terraform_remote_state.${label}`, outputs, inputs: {} }
      const kind = evaluate(body['backend'], one)
      const [config] = bodiesOf(evaluate(body['config'], one))
      const workspace = workspaceOf(body, one)
      if (typeof kind !== 'string') return { ...use, lost: 'its backend is computed' }
      if (config === undefined && 'config' in body)
        return { ...use, lost: `its settings are computed: ${said(body['config'])}` }
      if (workspace === null) return { ...use, lost: `its workspace is computed: ${said(body['workspace'])}` }
      const place = placeOf(kind, config ?? {}, {
        dir: call.root,
        ...(workspace === undefined ? {} : { workspace }),
      })
      return { ...use, place }
    }),
  )
}

/** Null: only a run knows. Its own workspace is taken to be the same everywhere. */
function workspaceOf(body: HclBody, scope: Scope): string | null | undefined {
  if (!('workspace' in body) || body['workspace'] === '${terraform.workspace}') return undefined
  const workspace = evaluate(body['workspace'], scope)
  return typeof workspace === 'string' ? workspace : null
}

function tfeOutputs(call: Call, { bodies }: CodeFolder, scope: Scope): readonly Use[] {
  const names = referencesIn(bodies, 'tfe_outputs')
  return dataSources(bodies, 'tfe_outputs').flatMap(({ label, body }) =>
    instancesOf(body, scope).map((one): Use => {
      const use = {
        as: `${call.prefix}data.tfe_outputs.${label}`,
        outputs: names.get(label) ?? null,
        inputs: {},
      }
      const [organization, workspace] = [
        evaluate(body['organization'], one),
        evaluate(body['workspace'], one),
      ]
      if (typeof workspace !== 'string')
        return { ...use, lost: `its workspace is computed: ${said(body['workspace'])}` }
      return {
        ...use,
        place: workspacePlace(typeof organization === 'string' ? organization : undefined, workspace),
      }
    }),
  )
}

function dataSources(bodies: readonly HclBody[], type: string) {
  return bodies.flatMap((body) => bodiesOf(body['data'])).flatMap((data) => labelled(data[type]))
}

/** One scope for each thing that `for_each` or `count` makes; a single one where only a run knows how many. */
function instancesOf(body: HclBody, scope: Scope): readonly Scope[] {
  const each = evaluate(body['for_each'], scope)
  const pairs = Array.isArray(each)
    ? each.map((value: unknown) => [value, value] as const)
    : isBody(each)
      ? Object.entries(each)
      : undefined
  if (pairs !== undefined && pairs.length > 0)
    return pairs.map(([key, value]) => ({ ...scope, names: { ...scope.names, each: { key, value } } }))
  const count = evaluate(body['count'], scope)
  if (typeof count !== 'number' || count < 1 || count > 100) return [scope]
  return Array.from({ length: count }, (_, index) => ({
    ...scope,
    names: { ...scope.names, count: { index } },
  }))
}

/** A variable has the value it is given, or its default; anything else is known only at run time. */
function scopeOf(call: Call, { bodies }: CodeFolder): Scope {
  const names: Record<string, unknown> = {
    path: { module: relativePath(call.root, call.dir), root: '.', cwd: '.' },
  }
  const scope: Scope = { names }
  const defaults = bodies
    .flatMap((body) => labelled(body['variable']))
    .map(({ label, body }) => [label, evaluate(body['default'], scope)] as const)
  names['var'] = { ...Object.fromEntries(defaults), ...call.given }
  names['local'] = lazily(
    Object.fromEntries(
      bodies
        .flatMap((body) => bodiesOf(body['locals']))
        .flatMap((locals) => Object.entries(locals))
        .map(([name, value]) => [name, () => evaluate(value, scope)]),
    ),
  )
  return scope
}

function settings(body: HclBody, scope: Scope): HclBody {
  const known = evaluate(body, scope)
  return isBody(known) ? known : {}
}

/** Undefined: not a folder here. */
export function localModule(dir: string, source: unknown): string | undefined {
  if (typeof source !== 'string' || !/^\.\.?(\/|$)/.test(source)) return undefined
  // Terragrunt writes `folder//module`: the double slash marks how much is copied.
  return joined(dir, source)
}
