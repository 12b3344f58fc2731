import { type HclBody, bodiesOf, labelled, said, textsIn } from '../hcl/hcl.ts'
import { evaluate } from '../hcl/evaluate.ts'
import { OutputReference } from '../hcl/reference.ts'
import { WHOLE_IDENTIFIER } from '../../base/text/hcl-identifier.ts'
import type { Use } from '../code.ts'
import { folderAt, folderOf, joined } from '../path.ts'
import { type References, referencesIn } from '../references.ts'
import { type Reads, type Seen, readBy, sourceIn } from './evaluate-file.ts'

/** A unit, with all that it includes. */
interface Whole {
  readonly dir: string
  readonly all: readonly Seen[]
  readonly inputs: HclBody
  readonly reads: Reads
}

/** `dependency` gives outputs, `dependencies` only an order. `isPartial`: some of what it includes is not known. */
export function dependenciesOf(unit: Whole, isPartial: boolean): readonly Use[] {
  const { dir, all, inputs } = unit
  const names = referencesIn(
    all.map(({ body }) => body),
    'dependency',
  )
  const blocks = new Map(
    all.flatMap((one) => labelled(one.body['dependency']).map(({ label, body }) => [label, { body, one }])),
  )
  const used = [...blocks].flatMap(([label, { body, one }]): readonly Use[] => {
    const outputs = names.get(label)
    // Null is all of them; what the code never mentions is there for the order, if all of the code is known.
    const taken = outputs === undefined ? (isPartial ? null : []) : outputs
    return useOf(label, body, one, taken, inputsFrom(inputs, label), dir)
  })
  const others = new Map([...names].filter(([label]) => !blocks.has(label)))
  const read = readBy(all, unit.reads)
  const known = new Set(read.flatMap(({ body }) => labelled(body['dependency']).map(({ label }) => label)))
  const lost = [...others].flatMap(([label, outputs]): readonly Use[] =>
    known.has(label) || isPartial
      ? []
      : [{ as: `dependency.${label}`, outputs, inputs: {}, lost: 'no block of this name was found' }],
  )
  return [...used, ...usedOfRead(unit, read, others), ...lost, ...all.flatMap((one) => orderOf(one, dir))]
}

/** What it uses of dependencies of files that it reads. `names`: outputs that its own code mentions. */
function usedOfRead({ all, inputs, reads }: Whole, read: readonly Seen[], names: References): readonly Use[] {
  // `deps = local.common.dependency`: what is taken of it then, is not followed.
  const texts = all.flatMap(({ body, scope }) => [...textsIn(body)].map((text) => ({ text, scope })))
  const isPassedOn = texts.some(({ text }) => PASSED_ON.test(text))
  // `{ for k, v in local.common.inputs : k => v }` is not understood, so we do not see whose inputs it uses.
  const isUnclear = texts.some(({ text, scope }) => INPUTS.test(text) && evaluate(text, scope) === undefined)
  return read.flatMap((one) => {
    const passed = isUnclear || reads.givers.has(one) ? [{ inputs: one.body['inputs'] }] : []
    const given = referencesIn(passed, 'dependency')
    return labelled(one.body['dependency']).flatMap(({ label, body }): readonly Use[] => {
      const mapped = inputsFrom(inputs, sourceIn(one.path, label))
      const mentioned = [names.get(label), given.get(label)]
      const isAll = isPassedOn || mentioned.includes(null)
      const some = [...mentioned.flatMap((outputs) => outputs ?? []), ...Object.values(mapped)]
      if (!isAll && some.length === 0) return []
      return useOf(label, body, one, isAll ? null : [...new Set(some)], mapped, folderOf(one.path))
    })
  })
}

function orderOf(one: Seen, dir: string): readonly Use[] {
  return bodiesOf(one.body['dependencies']).flatMap((body) => {
    const paths = evaluate(body['paths'], one.scope)
    const known: readonly unknown[] = Array.isArray(paths) ? paths : [body['paths']]
    return known.map((path) => ({
      as: 'dependencies',
      outputs: [],
      inputs: {},
      ...foldersAt(dir, one, path),
    }))
  })
}

const PASSED_ON = /\$\{.*\.dependency\b(?!\.[\p{L}_])/su
const INPUTS = /\$\{.*\.inputs\b/s

function useOf(
  label: string,
  body: HclBody,
  one: Seen,
  outputs: readonly string[] | null,
  inputs: Readonly<Record<string, string>>,
  dir: string,
): readonly Use[] {
  if (evaluate(body['enabled'], one.scope) === false) return []
  const taken = body['skip_outputs'] === true ? [] : outputs
  return [{ as: `dependency.${label}`, outputs: taken, inputs, ...foldersAt(dir, one, body['config_path']) }]
}

/** Which variables take which outputs of a source, whole and unchanged. */
function inputsFrom(inputs: HclBody, source: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(inputs).flatMap(([variable, value]) =>
      value instanceof OutputReference &&
      value.source === source &&
      value.output !== undefined &&
      WHOLE_IDENTIFIER.test(variable)
        ? [[variable, value.output] as const]
        : [],
    ),
  )
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
  return dirs.length === 0 ? { lost: `${said(given)} is outside the scanned folder` } : { dirs }
}
