import { z } from 'zod'
import { isTacoError } from '../../../../../base/errors.ts'
import { sayAuthor } from '../../../../../base/text/author.ts'
import type { Caller, VersionView } from '../../../../../state/index.ts'
import { defined } from '../../../kit/drop-undefined.ts'
import { seeOther } from '../../../kit/response/redirect.ts'
import type { Route } from '../../../kit/routes/route.ts'
import { UnitParams } from '../../../openapi/api.ts'
import { orgForm, orgPage } from '../../org-page.ts'
import { UnitLinks } from '../../rollouts/step-words.tsx'
import type { WebServices } from '../../services.ts'
import { unitPath } from '../../shell/addresses.ts'
import { shell } from '../../shell/command-line.ts'
import { setFlash } from '../../shell/flash.ts'
import { TextField } from '../../shell/form/text-field.tsx'
import { Form } from '../../shell/layout.tsx'
import { Ago, Card, Command, Notice, Split } from '../../shell/parts.tsx'
import { htmlReply } from '../../shell/render.ts'
import { UnitFrame, type UnitPage, openUnit } from '../frame.tsx'
import { type Readers, readersFor } from '../outputs/readers.ts'
import { DiffView } from './diff-view.tsx'
import { readDiff } from './read-diff.ts'

const path = '/units/{unit}/rollback'
const params = UnitParams.shape
const MOST_MESSAGE = 1_000

export const rollbackRoutes: readonly Route[] = [
  orgPage({
    path,
    params,
    id: 'askUnitRollback',
    action: 'state:rollback',
    summary: 'What a rollback of a unit would change',
    isSecret: true,
    query: z.object({ version: z.string().min(1).catch('previous').default('previous') }),
    async handle(request, services) {
      const page = await openUnit(request, services)
      return htmlReply(await confirmation(page, { version: request.query.version }, services, request.caller))
    },
  }),
  orgForm({
    path,
    params,
    id: 'rollBackUnitOnPage',
    action: 'state:rollback',
    summary: 'Roll a unit back',
    isSecret: true,
    fields: {
      version: z.string().min(1),
      /** The version that was current when the page was shown. Empty: there was none. */
      current: z.string().default(''),
      message: z.string().max(MOST_MESSAGE).default(''),
      keepSerial: z.literal('yes').optional(),
    },
    async handle(request, services) {
      const { body, caller, view, x } = request
      const { control, cookies } = services
      const page = await openUnit(request, services)
      const again = async (fault: string) =>
        htmlReply(await confirmation(page, { ...body, fault }, services, caller), 409)
      const tag = body.current === '' ? 'none' : await control.keys.tagOf(page.ref, body.current)
      if (tag === undefined) return again(OVERTAKEN)
      const message = body.message === '' ? undefined : body.message
      const keepSerial = body.keepSerial === undefined ? undefined : true
      const options = { expected: tag === 'none' ? tag : [tag], ...defined({ message, keepSerial }) } as const
      try {
        const made = await control.versions.rollback(page.ref, body.version, options, caller)
        const text = `Rolled back. Version ${made.seq} is current now.`
        setFlash(x, cookies, { kind: 'ok', text })
      } catch (error) {
        if (isTacoError(error, 'PRECONDITION_FAILED')) return again(OVERTAKEN)
        if (isTacoError(error, 'LOCKED', 'STATE_ENCRYPTED'))
          return again([error.message, error.hint].filter(Boolean).join(' '))
        throw error
      }
      return seeOther(unitPath(view.org.base, page.unit.name, 'history'))
    },
  }),
]

const OVERTAKEN =
  'The state was written while this page was open. Nothing was rolled back. Below is what a rollback would change now.'

interface Asked {
  readonly version: string
  readonly message?: string
  readonly fault?: string
}

async function confirmation(page: UnitPage, asked: Asked, services: WebServices, caller: Caller) {
  const { control } = services
  const { view, unit, ref } = page
  // As it is now: the page may be shown again because it changed.
  const current = (await control.units.get(ref, caller)).state
  const wanted = await control.versions.get(ref, asked.version, caller)
  const mayRead = current !== null && view.may('versions:read-state', unit)
  const ends = { from: current?.id ?? '', to: wanted.id }
  const diff = mayRead ? await readDiff(control.versions, ref, ends, caller) : undefined
  const readers = await readersFor(page, services, caller)
  return (
    <UnitFrame of={page} tab="history" title="Rollback">
      <Split side={<Confirm page={page} asked={asked} current={current} wanted={wanted} />}>
        {asked.fault !== undefined && (
          <Notice kind="fail">
            <p>{asked.fault}</p>
          </Notice>
        )}
        {diff !== undefined && diff !== 'too large' && !diff.encrypted && readers !== undefined && (
          <Touched outputs={diff.outputs.map(({ name }) => name)} readers={readers} base={view.org.base} />
        )}
        {diff === undefined || current === null ? (
          <Card title="What changes">
            <p class="muted">
              {current === null
                ? 'The unit has no state now. The rollback makes this version its state.'
                : 'You may not see the content of versions.'}
            </p>
          </Card>
        ) : (
          <DiffView diff={diff} page={page} from={current} to={wanted} />
        )}
      </Split>
    </UnitFrame>
  )
}

interface TouchedProps {
  readonly outputs: readonly string[]
  readonly readers: Readers
  readonly base: string
}

/** Which outputs change, and which units read them. */
function Touched({ outputs, readers, base }: TouchedProps) {
  const users = new Set(outputs.flatMap((name) => readers.of(name)))
  return (
    <Card title="What this will touch">
      {users.size === 0 ? (
        <p>
          {outputs.length === 0 ? 'No output changes' : 'No unit reads the outputs that change'}, so no other
          unit becomes stale.
        </p>
      ) : (
        <>
          <p>
            {users.size === 1 ? 'One unit reads' : `${users.size} units read`} outputs that change, and will
            be stale:
          </p>
          <dl class="keyed">
            {outputs
              .filter((name) => readers.of(name).length > 0)
              .map((name) => (
                <>
                  <dt class="mono">{name}</dt>
                  <dd>
                    <UnitLinks base={base} names={readers.of(name)} />
                  </dd>
                </>
              ))}
          </dl>
        </>
      )}
    </Card>
  )
}

interface ConfirmProps {
  readonly page: UnitPage
  readonly asked: Asked
  readonly current: VersionView | null
  readonly wanted: VersionView
}

function Confirm({ page: { view, unit }, asked, current, wanted }: ConfirmProps) {
  const { base } = view.org
  return (
    <>
      <Card title={`Roll back to version ${wanted.seq}`}>
        <p>
          Version {wanted.seq} was written <Ago at={wanted.at} now={view.now} /> by {sayAuthor(wanted)}. Its
          content becomes a new version{current !== null && ` after version ${current.seq}`}. The history
          stays.
        </p>
        <p class="muted">
          Only the state changes. The infrastructure stays as it is until the code is applied again.
        </p>
        <Form view={view} action={unitPath(base, unit.name, 'rollback')} class="form">
          <input type="hidden" name="version" value={wanted.id} />
          <input type="hidden" name="current" value={current?.id ?? ''} />
          <TextField
            id="message"
            label="Message"
            hint="Why, for the history."
            value={asked.message ?? ''}
            most={MOST_MESSAGE}
          />
          {wanted.encrypted && (
            <label class="check">
              <input type="checkbox" name="keepSerial" value="yes" />
              Keep the old serial: in an encrypted state it cannot be raised
            </label>
          )}
          <div class="bar">
            <button class="button primary" type="submit">
              Roll back
            </button>
            <a class="button" href={unitPath(base, unit.name, 'history')}>
              Cancel
            </a>
          </div>
        </Form>
      </Card>
      <Command>{shell`taco state rollback ${unit.name} ${wanted.seq}`}</Command>
    </>
  )
}
