import { type HclBody, bodiesOf, isBody, labelled, said } from '../hcl/hcl.ts'
import { evaluate } from '../hcl/evaluate.ts'
import { isMap } from '../hcl/values.ts'
import { type Place, placeOf } from '../backend.ts'
import { type Use, localModule } from '../code.ts'
import { folderAt, folderOf, joined } from '../path.ts'
import type { Standpoint, TerragruntFiles } from './functions.ts'
import { type Reads, type Seen, see } from './evaluate-file.ts'
import { dependenciesOf } from './uses.ts'

/** The content of a `terragrunt.hcl`, with everything it includes. */
export interface TerragruntFacts {
  readonly isUnit: boolean
  readonly place: Place | undefined
  /** Its `remote_state`, and the file that has it. */
  readonly backend: TerragruntBackend | undefined
  /** Code that would be generated, such as a backend, and the file that generates it. */
  readonly generated: readonly { readonly file: string; readonly text: string }[]
  /** The local folder of its module. */
  readonly module: string | undefined
  readonly inputs: HclBody
  readonly uses: readonly Use[]
  /** Files that it includes. */
  readonly includes: readonly string[]
  readonly remarks: readonly { readonly where: string; readonly says: string }[]
}

interface TerragruntBackend {
  readonly file: string
  readonly kind: string
  readonly config: HclBody
}

export function readTerragrunt(files: TerragruntFiles, path: string): TerragruntFacts {
  const dir = folderOf(path)
  const folders = new Map<string, string>()
  let isMissing = false
  const parent: Standpoint['parent'] = (label) =>
    label === undefined
      ? folders.size > 1 || isMissing
        ? undefined
        : ([...folders.values()][0] ?? dir)
      : folders.get(label)
  const reads: Reads = { byPath: new Map(), givers: new Set() }
  const own = see(files, path, { dir, original: dir, parent }, reads)
  const remarks: { where: string; says: string }[] = []
  const wanted = labelledOrBare(own.body['include'])
  const included = wanted.flatMap(({ label, body }) => {
    const file = evaluate(body['path'], own.scope)
    const found = typeof file === 'string' ? (folderAt(file) ?? joined(dir, file)) : undefined
    if (found === undefined || !files.has(found)) {
      const says = `what it includes${label === '' ? '' : ` as ${label}`} cannot be found: ${said(body['path'])}`
      remarks.push({ where: path, says })
      isMissing = true
      return []
    }
    folders.set(label, folderOf(found))
    return [{ ...see(files, found, { dir, original: dir, parent: () => folderOf(found) }, reads), label }]
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
  const backend = backendOf(all)
  const place = backend === undefined ? undefined : placeOfState(backend, dir, remarks)
  const source = lastKnown(all, (one) => bodiesOf(one.body['terraform']).map((block) => block['source']))
  const inputs: HclBody = Object.assign(
    {},
    ...all.map((one) => evaluate(one.body['inputs'], one.scope)).filter(isMap),
  )
  return {
    isUnit: all.some(
      ({ body }) =>
        ['include', 'dependency', 'dependencies'].some((block) => block in body) ||
        bodiesOf(body['terraform']).some((block) => 'source' in block),
    ),
    place,
    backend,
    generated: all.flatMap(generatedBy),
    module: typeof source === 'string' ? moduleAt(dir, source) : undefined,
    inputs,
    uses: dependenciesOf({ dir, all, inputs, reads }, isMissing || !included.every(isRead)),
    includes: included.map((one) => one.path),
    remarks,
  }
}

function backendOf(all: readonly Seen[]): TerragruntBackend | undefined {
  const block = all.flatMap((one) => bodiesOf(one.body['remote_state']).map((body) => ({ body, one }))).at(-1)
  if (block === undefined) return undefined
  const { body, one } = block
  const kind = evaluate(body['backend'], one.scope)
  const [config = {}] = bodiesOf(evaluate(body['config'], one.scope))
  return { file: one.path, kind: typeof kind === 'string' ? kind : '?', config }
}

function placeOfState(
  { file, kind, config }: TerragruntBackend,
  dir: string,
  remarks: { where: string; says: string }[],
): Place {
  const place = placeOf(kind, config, { dir })
  if (place.unit === undefined && place.identity === undefined && place.loose === undefined)
    remarks.push({
      where: file,
      says: 'where remote_state puts the states is computed, so units are named after their folders',
    })
  return place
}

function generatedBy({ path, body, scope }: Seen): TerragruntFacts['generated'] {
  return labelled(body['generate']).flatMap(({ body: block }) => {
    const text = evaluate(block['contents'], scope)
    return typeof text === 'string' ? [{ file: path, text }] : []
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
