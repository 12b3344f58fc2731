import { among } from '../../base/text/among.ts'
import { TacoError, isTacoError } from '../../base/errors.ts'
import type { Caller, OutputsCommitView, StateControl, UnitRef } from '../../state/index.ts'
import { type Wanted, wantedOf } from './inputs-wanted.ts'
import { unknownOutput } from '../dependencies/unknown-name.ts'

/** The value that one variable of a unit takes from an output of another unit. */
export interface Input {
  readonly variable: string
  readonly from: { readonly id: string; readonly name: string }
  readonly output: string
  /** The outputs commit of that unit that the value is of. */
  readonly commit: number
  readonly sensitive: boolean
  /** The type and the value as JSON text, every digit kept. `json` is absent when it is not served. */
  readonly type: string
  readonly json?: string
}

export interface InputsView {
  readonly unit: { readonly id: string; readonly name: string }
  /** By the names of the variables. */
  readonly inputs: readonly Input[]
}

export interface Inputs {
  /**
   * What the declared dependencies of a unit give to its variables. The values that are served are recorded as its
   * reads. Fails as a whole, naming everything that is missing: half of the inputs would make another plan. A refusal
   * records nothing.
   */
  resolve(
    ref: UnitRef,
    options: {
      readonly sensitive: boolean
      /** Refused if the value of an input is not served. */
      readonly complete?: boolean
      /** Only to look at them: nothing is recorded. */
      readonly peek?: boolean
      /** The token of the run that takes them. */
      readonly run?: string
    },
    caller: Caller,
  ): Promise<InputsView>
}

export function createInputs(control: Pick<StateControl, 'units' | 'outputs'>): Inputs {
  return {
    async resolve(ref, options, caller) {
      const { id, name, dependencies } = await control.units.get(ref, caller)
      const wanted = wantedOf(name, dependencies)
      const found = await Promise.all(wanted.map((one) => taken(one, ref.org, options, caller)))
      const faults = found.flatMap((one) => ('fault' in one ? [one.fault] : []))
      if (faults.length > 0) throw missing(name, faults)
      const given = found.flatMap((one) => ('given' in one ? [one.given] : []))
      if (options.complete === true) refuseHidden(name, given)
      const reads = options.peek === true ? [] : given.flatMap(({ view, inputs }) => readOf(view, inputs))
      const reader = options.run === undefined ? {} : { run: options.run }
      if (reads.length > 0)
        await control.outputs.recordReads({ org: ref.org, unit: id }, reads, reader, caller)
      const inputs = given.flatMap((one) => one.inputs)
      return { unit: { id, name }, inputs: inputs.toSorted((a, b) => (a.variable < b.variable ? -1 : 1)) }
    },
  }

  async function taken(
    wanted: Wanted,
    org: string,
    { sensitive }: { readonly sensitive: boolean },
    caller: Caller,
  ): Promise<{ readonly given: Given } | { readonly fault: TacoError }> {
    try {
      await checkSource(wanted, org, sensitive, caller)
      const view = await control.outputs.get({ org, unit: wanted.on }, { sensitive }, caller)
      return { given: { view, inputs: inputsOf(wanted, view) } }
    } catch (error) {
      if (!isTacoError(error, 'NOT_FOUND', 'GONE', 'STATE_ENCRYPTED')) throw error
      return { fault: (await deletion(wanted, org, caller)) ?? error }
    }
  }

  /** A dependency gives no right to what it is on: anyone who may declare one could read everything otherwise. */
  async function checkSource(
    { on }: Wanted,
    org: string,
    isSensitive: boolean,
    caller: Caller,
  ): Promise<void> {
    const { sight } = caller
    if (sight === undefined) return
    const unit = await control.units.get({ org, unit: on }, caller)
    if (sight.may(isSensitive ? 'outputs:read-sensitive' : 'outputs:read', unit)) return
    const named = sight.may('unit:read', unit) ? unit.name : 'a unit that you cannot see'
    throw new TacoError(
      'FORBIDDEN',
      `An input comes from ${named}, and you have no permission for its outputs.`,
      {
        hint: 'Ask an administrator of the organization for outputs:read there.',
      },
    )
  }

  /** Whatever else is missing, it is because the unit is. */
  async function deletion({ on, name }: Wanted, org: string, caller: Caller): Promise<TacoError | undefined> {
    try {
      const unit = await control.units.get({ org, unit: on }, caller)
      if (unit.deleted === null) return undefined
      return new TacoError('NOT_FOUND', `${unit.name} was deleted.`, {
        hint: `Restore it with \`taco unit restore ${unit.name}\`, or remove the dependency with \`taco dep rm\`.`,
      })
    } catch (error) {
      if (!isTacoError(error, 'NOT_FOUND', 'GONE')) throw error
      return new TacoError('NOT_FOUND', `${name} no longer exists.`, {
        hint: 'Remove the dependency with `taco dep rm`.',
      })
    }
  }
}

interface Given {
  readonly view: OutputsCommitView
  readonly inputs: readonly Input[]
}

function inputsOf({ name, variables }: Wanted, view: OutputsCommitView): readonly Input[] {
  const { outputs, commit, unit } = view
  if (outputs === null) {
    throw new TacoError(
      'STATE_ENCRYPTED',
      `The outputs of ${name} are encrypted, so the server cannot read them.`,
      {
        hint: 'Read them with `terraform_remote_state`, which has the key.',
      },
    )
  }
  const byName = new Map(outputs.map((output) => [output.name, output]))
  return variables.map(({ variable, output }) => {
    const found = byName.get(output)
    if (found === undefined) throw unknownOutput(name, output, [...byName.keys()])
    const { sensitive, type, json } = found
    const value = json === undefined ? {} : { json }
    return { variable, from: unit, output, commit, sensitive, type, ...value }
  })
}

/** Half of the inputs would make another plan. */
function refuseHidden(unit: string, given: readonly Given[]): void {
  const hidden = given.flatMap(({ inputs }) => inputs).find(({ json }) => json === undefined)
  if (hidden === undefined) return
  const why = hidden.sensitive ? 'sensitive' : 'too large to be served with the others'
  throw new TacoError('FORBIDDEN', `The value of ${hidden.variable} is ${why}.`, {
    hint: `Request the sensitive inputs of ${unit}, too: use --sensitive, or sensitive=true in the API.`,
    facts: { field: 'sensitive', unit, variable: hidden.variable },
  })
}

/** Only what is given away was read. */
function readOf({ commit, unit, outputs }: OutputsCommitView, inputs: readonly Input[]) {
  const served = inputs.filter(({ json }) => json !== undefined)
  const names = [...new Set(served.map(({ output }) => output))]
  if (names.length === 0) return []
  const isGiven = among(names)
  const digests = (outputs ?? []).flatMap(({ name, digest }) => (isGiven(name) ? [[name, digest]] : []))
  return [
    {
      from: unit.id,
      names,
      commit,
      digests: Object.fromEntries(digests) as Record<string, string>,
      inputs: Object.fromEntries(served.map(({ variable, output }) => [variable, output])),
    },
  ]
}

function missing(unit: string, faults: readonly TacoError[]): TacoError {
  const [first] = faults
  const text = [...new Set(faults.map(({ message }) => message))].join(' ')
  const hint = [...new Set(faults.flatMap((fault) => fault.hint ?? []))].join(' ')
  return new TacoError(first?.code ?? 'NOT_FOUND', `The inputs of ${unit} are not available. ${text}`, {
    ...(hint === '' ? {} : { hint }),
    facts: { field: 'unit', unit },
  })
}
