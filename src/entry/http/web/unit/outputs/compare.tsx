import { z } from 'zod'
import { isTacoError } from '../../../../../base/errors.ts'
import type { Caller, OutputsDiffView } from '../../../../../state/index.ts'
import type { Route } from '../../../kit/routes/route.ts'
import { UnitParams } from '../../../openapi/api.ts'
import { orgPage } from '../../org-page.ts'
import type { WebServices } from '../../services.ts'
import { unitPath } from '../../shell/addresses.ts'
import { shell } from '../../shell/command-line.ts'
import type { Faults } from '../../shell/faults.ts'
import { TextField } from '../../shell/form/text-field.tsx'
import { Card, Command, Notice, REACHABLE } from '../../shell/parts.tsx'
import { htmlReply } from '../../shell/render.ts'
import { ChangedValue } from '../changed-value.tsx'
import { type UnitPage, openUnit } from '../frame.tsx'
import { type OutputValues, outputValues } from '../output-values.ts'
import { OutputsFrame } from './outputs-page.tsx'

const MOST_SHOWN = 200

export const compareRoutes: readonly Route[] = [
  orgPage({
    path: '/units/{unit}/outputs/diff',
    params: UnitParams.shape,
    id: 'showUnitOutputsDiff',
    action: 'outputs:read',
    summary: 'What differs between two commits of the outputs of a unit',
    // Values, though not those of sensitive outputs.
    isSecret: true,
    query: z.object({ from: z.string().default(''), to: z.string().default('') }),
    async handle(request, services) {
      const { query, caller } = request
      const page = await openUnit(request, services)
      const faults = faultsIn(query)
      if (Object.keys(faults).length > 0) return comparison(page, query, { faults })
      try {
        return comparison(page, query, { compared: await compare(page, query, services, caller) })
      } catch (error) {
        if (isTacoError(error, 'STATE_ENCRYPTED')) return comparison(page, query, { notice: error.message })
        if (!isTacoError(error, 'NOT_FOUND', 'GONE')) throw error
        const isFrom = String(error.facts['commit']) === query.from.trim()
        return comparison(page, query, { faults: { [isFrom ? 'from' : 'to']: error.message } })
      }
    },
  }),
]

interface Ends {
  readonly from: string
  readonly to: string
}

function faultsIn(ends: Ends): Faults {
  const wrong = (['from', 'to'] as const).filter((name) => !/^\d{0,9}$/.test(ends[name].trim()))
  return Object.fromEntries(wrong.map((name) => [name, 'Write the number of a commit.']))
}

interface Compared {
  readonly diff: OutputsDiffView
  readonly before: OutputValues
  readonly after: OutputValues
}

async function compare(
  { ref }: UnitPage,
  ends: Ends,
  services: WebServices,
  caller: Caller,
): Promise<Compared> {
  const numberOf = (name: 'from' | 'to') =>
    ends[name].trim() === '' ? {} : { [name]: Number(ends[name].trim()) }
  const diff = await services.control.outputs.diff(ref, { ...numberOf('from'), ...numberOf('to') }, caller)
  const [before, after] = await Promise.all([
    valuesAt(ref, diff.from, services, caller),
    valuesAt(ref, diff.to, services, caller),
  ])
  return { diff, before, after }
}

/** Commit 0: before the first. */
async function valuesAt(
  ref: UnitPage['ref'],
  commit: number,
  services: WebServices,
  caller: Caller,
): Promise<OutputValues> {
  return commit === 0 ? { of: () => ({ kind: 'none' }) } : outputValues(services, ref, commit, caller)
}

interface Result {
  readonly compared?: Compared
  readonly faults?: Faults
  readonly notice?: string
}

function comparison(page: UnitPage, asked: Ends, { compared, faults = {}, notice }: Result) {
  const { view, unit } = page
  const from = compared === undefined ? asked.from : String(compared.diff.from)
  const to = compared === undefined ? asked.to : String(compared.diff.to)
  const isWrong = Object.keys(faults).length > 0
  return htmlReply(
    <OutputsFrame page={page} view="compare">
      <Card>
        <form class="bar filters" action={unitPath(view.org.base, unit.name, 'outputs/diff')}>
          <End name="from" label="From commit" value={from} faults={faults} />
          <End name="to" label="To commit" value={to} faults={faults} />
          <button class="button" type="submit">
            Compare
          </button>
        </form>
        {notice !== undefined && (
          <Notice kind="warn">
            <p>{notice}</p>
          </Notice>
        )}
        {compared !== undefined && <Changes of={compared} />}
      </Card>
      <Command>{shell`taco outputs diff ${[unit.name, from, to].filter(Boolean)}`}</Command>
    </OutputsFrame>,
    isWrong ? 400 : 200,
  )
}

interface EndProps {
  readonly name: 'from' | 'to'
  readonly label: string
  readonly value: string
  readonly faults: Faults
}

function End({ name, label, value, faults }: EndProps) {
  return (
    <TextField id={name} label={label} hint="0: before the first" value={value} faults={faults} isNumber />
  )
}

function Changes({ of: { diff, before, after } }: { readonly of: Compared }) {
  if (diff.changed.length === 0) return <p class="muted">The outputs of both commits are the same.</p>
  return (
    <section class="scroll" aria-label="Changed outputs" {...REACHABLE}>
      <table data-list>
        <thead>
          <tr>
            <th scope="col">Output</th>
            <th scope="col">Change</th>
            <th scope="col">Value</th>
          </tr>
        </thead>
        <tbody>
          {diff.changed.slice(0, MOST_SHOWN).map(({ name, kind }) => (
            <tr>
              <td class="mono">{name}</td>
              <td>
                <span class={`change ${kind}`}>{kind}</span>
              </td>
              <td>
                <ChangedValue before={before.of(name)} after={after.of(name)} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {diff.changed.length > MOST_SHOWN && (
        <p class="muted">There are more. The command below shows all of them.</p>
      )}
    </section>
  )
}
