import { type HclBody, bodiesOf, isBody, labelled } from './hcl.ts'
import { type Scope, evaluate, lazily } from './hcl-evaluate.ts'
import { OutputReference } from './hcl-reference.ts'
import { type Place, placeOf } from './scan-backend.ts'
import { type Use, localModule } from './scan-code.ts'
import { folderAt, folderOf, joined } from './scan-path.ts'
import { referencesIn } from './scan-references.ts'
import { type Standpoint, type TerragruntFiles, functionsFor } from './scan-terragrunt-functions.ts'

/** What a `terragrunt.hcl` says, with all that it includes. */
export interface TerragruntFacts {
  readonly isUnit: boolean
  readonly place: Place | undefined
  /** Code that would be generated, such as a backend. */
  readonly generated: readonly string[]
  /** The local folder of its module. */
  readonly module: string | undefined
  readonly inputs: HclBody
  readonly uses: readonly Use[]
  /** Files that it includes. */
  readonly includes: readonly string[]
  readonly remarks: readonly { readonly where: string; readonly says: string }[]
}

/** A file as the unit sees it that reads it. */
interface Seen {
  readonly path: string
  readonly body: HclBody
  readonly scope: Scope
}

export function readTerragrunt(files: TerragruntFiles, path: string): TerragruntFacts {
  const dir = folderOf(path)
  const folders = new Map<string, string>()
  const parent: Standpoint['parent'] = (label) =>
    label === undefined
      ? folders.size > 1
        ? undefined
        : ([...folders.values()][0] ?? dir)
      : folders.get(label)
  const own = see(files, path, { dir, original: dir, parent })
  const remarks: { where: string; says: string }[] = []
  const wanted = labelledOrBare(own.body['include'])
  const included = wanted.flatMap(({ label, body }) => {
    const file = evaluate(body['path'], own.scope)
    const found = typeof file === 'string' ? (folderAt(file) ?? joined(dir, file)) : undefined
    if (found === undefined || !files.has(found)) {
      const says = `what it includes${label === '' ? '' : ` as ${label}`} cannot be found: ${said(body['path'])}`
      remarks.push({ where: path, says })
      return []
    }
    folders.set(label, folderOf(found))
    return [{ ...see(files, found, { dir, original: dir, parent: () => folderOf(found) }), label }]
  })
  const isRead = (one: Seen) => files.get(one.path) !== undefined
  const expose = (one: Seen) => ({
    locals: one.scope.names['local'],
    inputs: evaluate(one.body['inputs'], one.scope),
  })
  const bare = included.find(({ label }) => label === '')
  Object.assign(own.scope.names, {
    include: {
      ...Object.fromEntries(included.map((one) => [one.label, expose(one)])),
      ...(bare === undefined ? {} : expose(bare)),
    },
  })
  // Its own words win over those it includes.
  const all: readonly Seen[] = [...included, own]
  const place = placeOfState(all, dir, remarks)
  const source = lastKnown(all, (one) => bodiesOf(one.body['terraform']).map((block) => block['source']))
  const inputs: HclBody = Object.assign(
    {},
    ...all.map((one) => evaluate(one.body['inputs'], one.scope)).filter(isPlainMap),
  )
  return {
    isUnit: all.some(
      ({ body }) =>
        ['include', 'dependency', 'dependencies'].some((block) => block in body) ||
        bodiesOf(body['terraform']).some((block) => 'source' in block),
    ),
    place,
    generated: all.flatMap(generatedBy),
    module: typeof source === 'string' ? moduleAt(dir, source) : undefined,
    inputs,
    uses: dependenciesOf(dir, all, inputs, included.length < wanted.length || !included.every(isRead)),
    includes: included.map((one) => one.path),
    remarks,
  }
}

function see(files: TerragruntFiles, path: string, from: Omit<Standpoint, 'read'>): Seen {
  const body = files.get(path) ?? {}
  const names: Record<string, unknown> = { dependency: (name: string) => new OutputReference(name) }
  const scope: Scope = {
    names,
    functions: functionsFor(files, {
      ...from,
      read: (other) => {
        const at = folderOf(other)
        const { scope: its, body: text } = see(files, other, {
          dir: at,
          original: from.original,
          parent: () => at,
        })
        return lazily({
          locals: () => its.names['local'],
          inputs: () => evaluate(text['inputs'], its),
        })
      },
    }),
  }
  names['local'] = lazily(
    Object.fromEntries(
      bodiesOf(body['locals'])
        .flatMap((locals) => Object.entries(locals))
        .map(([name, value]) => [name, () => evaluate(value, scope)]),
    ),
  )
  return { path, body, scope }
}

function placeOfState(all: readonly Seen[], dir: string, remarks: { where: string; says: string }[]) {
  const block = all.flatMap((one) => bodiesOf(one.body['remote_state']).map((body) => ({ body, one }))).at(-1)
  if (block === undefined) return undefined
  const { body, one } = block
  const kind = evaluate(body['backend'], one.scope)
  const [config = {}] = bodiesOf(evaluate(body['config'], one.scope))
  const place = placeOf(typeof kind === 'string' ? kind : '?', config, { dir })
  if (place.unit === undefined && place.identity === undefined && place.loose === undefined)
    remarks.push({
      where: one.path,
      says: 'where remote_state puts the states is computed, so units are named after their folders',
    })
  return place
}

/** `dependency` gives outputs, `dependencies` only an order. */
function dependenciesOf(
  dir: string,
  all: readonly Seen[],
  inputs: HclBody,
  isPartial: boolean,
): readonly Use[] {
  const names = referencesIn(
    all.map(({ body }) => body),
    'dependency',
  )
  const blocks = new Map(
    all.flatMap((one) => labelled(one.body['dependency']).map(({ label, body }) => [label, { body, one }])),
  )
  const used = [...blocks].flatMap(([label, { body, one }]): Use[] => {
    if (evaluate(body['enabled'], one.scope) === false) return []
    const mapped = Object.entries(inputs).flatMap(([variable, value]) =>
      value instanceof OutputReference &&
      value.source === label &&
      value.output !== undefined &&
      isIdentifier(variable)
        ? [[variable, value.output] as const]
        : [],
    )
    const outputs = names.get(label)
    // Null is all of them; what the code never mentions is there for the order, if all of the code is known.
    const taken =
      body['skip_outputs'] === true ? [] : outputs === undefined ? (isPartial ? null : []) : outputs
    const place = foldersAt(dir, one, body['config_path'])
    return [{ as: `dependency.${label}`, outputs: taken, inputs: Object.fromEntries(mapped), ...place }]
  })
  const after = all.flatMap((one) =>
    bodiesOf(one.body['dependencies']).flatMap((body) => {
      const paths = evaluate(body['paths'], one.scope)
      const known: readonly unknown[] = Array.isArray(paths) ? paths : [body['paths']]
      return known.map((path): Use => ({
        as: 'dependencies',
        outputs: [],
        inputs: {},
        ...foldersAt(dir, one, path),
      }))
    }),
  )
  return [...used, ...after]
}

/** A path in an included file counts from the unit, or from that file. */
function foldersAt(dir: string, one: Seen, given: unknown): Pick<Use, 'dirs' | 'lost'> {
  if (given === undefined) return { lost: 'it names no folder' }
  const path = evaluate(given, one.scope)
  if (typeof path !== 'string') return { lost: `its folder is computed: ${said(given)}` }
  const plain = path.replace(/\/terragrunt\.hcl$/, '')
  const own = folderAt(plain)
  const both = own === undefined ? [joined(dir, plain), joined(folderOf(one.path), plain)] : [own]
  const dirs = [...new Set(both.filter((folder) => folder !== undefined))]
  return dirs.length === 0 ? { lost: `${said(given)} is outside of what was scanned` } : { dirs }
}

function generatedBy({ body, scope }: Seen): readonly string[] {
  return labelled(body['generate']).flatMap(({ body: block }) => {
    const text = evaluate(block['contents'], scope)
    return typeof text === 'string' ? [text] : []
  })
}

function moduleAt(dir: string, source: string): string | undefined {
  return folderAt(source.replaceAll(/\/\/+/g, '/')) ?? localModule(dir, source)
}

function lastKnown(all: readonly Seen[], pick: (one: Seen) => readonly unknown[]): unknown {
  return all
    .flatMap((one) => pick(one).map((value) => evaluate(value, one.scope)))
    .findLast((one) => one !== undefined)
}

/** `include "root" {…}`, and the older `include {…}`. */
function labelledOrBare(value: unknown): readonly { readonly label: string; readonly body: HclBody }[] {
  return bodiesOf(value).flatMap((body) =>
    'path' in body && !isBody(body['path']) ? [{ label: '', body }] : labelled(body),
  )
}

function isIdentifier(name: string): boolean {
  return /^[\p{L}_][\p{L}\p{N}_-]*$/u.test(name)
}

function isPlainMap(value: unknown): value is HclBody {
  return isBody(value) && !(value instanceof OutputReference)
}

function said(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
