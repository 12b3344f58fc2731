import { sayPrincipal } from '../../../../../base/text/author.ts'
import { z } from 'zod'
import type { BrokenGlass, Guard } from '../../../../../access/index.ts'
import { badRequest } from '../../../../../base/errors.ts'
import { brokenGuards, endGuard, setGuard } from '../../../kit/access/guards.ts'
import type { Exchange } from '../../../kit/exchange.ts'
import { seeOther } from '../../../kit/response/redirect.ts'
import type { Route } from '../../../kit/routes/route.ts'
import { orgForm, orgPage } from '../../org-page.ts'
import type { WebServices } from '../../services.ts'
import { unitPath } from '../../shell/addresses.ts'
import { matchingLines } from '../../shell/command-line.ts'
import { ConfirmRow } from '../../shell/confirm.tsx'
import { exported } from '../../shell/export.ts'
import { type Faults, faultsAt } from '../../shell/faults.ts'
import { setFlash } from '../../shell/flash.ts'
import { TextField } from '../../shell/form/text-field.tsx'
import { Form } from '../../shell/layout.tsx'
import { type Arranged, List, ListQuery, arrange } from '../../shell/list.tsx'
import { Ago, Card, Time } from '../../shell/parts.tsx'
import { htmlReply } from '../../shell/render.ts'
import { type Column, DataTable } from '../../shell/table.tsx'
import type { OrgView } from '../../shell/view.ts'
import { wordsIn } from '../../shell/words.ts'
import { PeopleFrame, peoplePath } from '../frame.tsx'

const text = z.string().trim().default('')

interface GuardInput {
  readonly units: string
  readonly reason: string
  readonly isWhole: boolean
}

interface Shown extends Partial<z.output<typeof ListQuery>> {
  readonly input?: GuardInput
  readonly faults?: Faults
}

interface Request {
  readonly org: string
  readonly view: OrgView
  readonly x: Exchange
}

async function guardsPage({ org, view, x }: Request, services: WebServices, shown: Shown) {
  const { format, input, faults = {} } = shown
  const policy = await services.orgAccess.get(org, x.caller)
  const list = arrange(policy.guards, guardColumns(view), shown)
  if (format !== undefined) return exported(format, 'guards', list.columns, list.found)
  const broken = await brokenGuards(services, policy, x.caller)
  const props = { view, list, broken, faults, ...(input && { input }) }
  return htmlReply(<GuardsPage {...props} />, Object.keys(faults).length === 0 ? 200 : 400)
}

export const guardRoutes: readonly Route[] = [
  orgPage({
    path: '/people/guards',
    id: 'showGuards',
    action: 'org:read',
    summary: 'What is guarded, so that only runs may change its state',
    query: ListQuery,
    handle: ({ params: { org }, query, view, x }, services) => guardsPage({ org, view, x }, services, query),
  }),
  orgForm({
    path: '/people/guards',
    id: 'setGuardByForm',
    action: 'guard:set',
    summary: 'Guard units, or the whole organization',
    fields: { units: text, reason: text, isWhole: z.string().optional() },
    async handle({ params: { org }, body, view, x, caller }, services) {
      const input = { units: body.units, reason: body.reason, isWhole: body.isWhole === 'yes' }
      const units = wordsIn(input.units)
      try {
        // An empty field must not guard everything by mistake.
        if (units === undefined && !input.isWhole)
          throw badRequest('units', 'Name units, or choose the whole organization.')
        if (units !== undefined && input.isWhole)
          throw badRequest('units', 'Leave this empty to guard the whole organization.')
        if (input.reason.length > 500)
          throw badRequest('reason', 'The reason is longer than 500 characters.', 'Shorten it.')
        await setGuard(services, org, { units, reason: input.reason || undefined }, caller)
      } catch (error) {
        const faults = faultsAt(error, ['units', 'reason'], 'ALREADY_EXISTS')
        return guardsPage({ org, view, x }, services, { input, faults })
      }
      const what = units === undefined ? 'The whole organization' : units.join(', ')
      setFlash(x, services.cookies, { kind: 'ok', text: `Guarded: ${what}.` })
      return seeOther(peoplePath(view, 'guards'))
    },
  }),
  orgForm({
    path: '/people/guards/end',
    id: 'endGuardByForm',
    action: 'guard:set',
    summary: 'End a guard',
    fields: { guard: z.string() },
    async handle({ params: { org }, body, view, x, caller }, services) {
      await endGuard(services, org, body.guard, caller)
      setFlash(x, services.cookies, { kind: 'ok', text: 'The guard has ended.' })
      return seeOther(peoplePath(view, 'guards'))
    },
  }),
]

const whatOf = ({ units }: Guard) => units?.join(' ') ?? 'the whole organization'

const guardColumns = ({ now }: OrgView): readonly Column<Guard>[] => [
  {
    name: 'units',
    label: 'Guarded',
    cell: (guard) => <span class={guard.units === undefined ? undefined : 'mono'}>{whatOf(guard)}</span>,
    value: whatOf,
  },
  {
    name: 'reason',
    label: 'Reason',
    cell: ({ reason }) => reason ?? '',
    value: ({ reason }) => reason ?? null,
  },
  { name: 'by', label: 'By', cell: ({ by }) => sayPrincipal(by), value: ({ by }) => by },
  {
    name: 'at',
    label: 'Since',
    cell: ({ at }) => <Ago at={at} now={now} />,
    value: ({ at }) => new Date(at).toISOString(),
  },
]

function endColumn(view: OrgView): Column<Guard> {
  return {
    name: 'end',
    label: 'End',
    cell: (guard) => (
      <ConfirmRow
        view={view}
        action={`${peoplePath(view, 'guards')}/end`}
        label="End"
        button={`End the guard of ${whatOf(guard)}`}
      >
        <input type="hidden" name="guard" value={guard.id} />
        <p>Everyone who may write these states can do so again without a run.</p>
      </ConfirmRow>
    ),
    value: () => null,
  }
}

interface GuardsPageProps {
  readonly view: OrgView
  readonly list: Arranged<Guard>
  readonly broken: readonly BrokenGlass[]
  readonly input?: GuardInput
  readonly faults: Faults
}

function GuardsPage({ view, list, broken, input, faults }: GuardsPageProps) {
  return (
    <PeopleFrame
      view={view}
      tab="guards"
      command={matchingLines('taco guard ls', list.asked.search ?? '')}
      side={view.may('guard:set') && <GuardForm view={view} input={input} faults={faults} />}
    >
      <Card title="Guards">
        <p class="muted">
          Only runs change the state of a guarded unit. People with the right state:break-glass can write one
          for a while, with a reason.
        </p>
        <List
          path={peoplePath(view, 'guards')}
          caption="Guards"
          list={list}
          actions={view.may('guard:set') ? [endColumn(view)] : []}
          empty="Nothing is guarded."
        />
      </Card>
      {broken.length > 0 && <Broken view={view} broken={broken} />}
    </PeopleFrame>
  )
}

function Broken({ view, broken }: Pick<GuardsPageProps, 'view' | 'broken'>) {
  const columns: readonly Column<BrokenGlass>[] = [
    {
      name: 'unit',
      label: 'Unit',
      cell: ({ unit }) => (
        <a class="mono" href={unitPath(view.org.base, unit)}>
          {unit}
        </a>
      ),
      value: ({ unit }) => unit,
    },
    { name: 'by', label: 'Who', cell: ({ by }) => sayPrincipal(by), value: ({ by }) => by },
    { name: 'reason', label: 'Reason', cell: ({ reason }) => reason, value: ({ reason }) => reason },
    { name: 'until', label: 'Until', cell: ({ until }) => <Time at={until} />, value: ({ until }) => until },
  ]
  return (
    <Card title="Written without a run">
      <DataTable
        path={view.path}
        caption="Who may write guarded units for a while"
        columns={columns}
        items={broken}
      />
    </Card>
  )
}

interface GuardFormProps {
  readonly view: OrgView
  readonly input: GuardInput | undefined
  readonly faults: Faults
}

function GuardForm({ view, input, faults }: GuardFormProps) {
  return (
    <Card title="Guard units">
      <Form view={view} action={peoplePath(view, 'guards')} class="form">
        <TextField
          id="units"
          label="Units"
          hint="Names or patterns such as prod/**, separated by spaces."
          value={input?.units ?? ''}
          faults={faults}
          isMono
        />
        <label class="check">
          <input type="checkbox" name="isWhole" value="yes" checked={input?.isWhole === true} />
          The whole organization
        </label>
        <TextField
          id="reason"
          label="Reason"
          hint="Shown to those who are refused."
          value={input?.reason ?? ''}
          faults={faults}
          most={500}
        />
        <div>
          <button class="button primary" type="submit">
            Guard
          </button>
        </div>
      </Form>
    </Card>
  )
}
