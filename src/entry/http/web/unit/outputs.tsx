import type { OutputView, OutputsCommitView } from '../../../../state/index.ts'
import { isTacoError } from '../../../../base/errors.ts'
import { sayAuthor } from '../../../../base/text/author.ts'
import type { Route } from '../../kit/routes/route.ts'
import { UnitParams } from '../../openapi/api.ts'
import { orgForm, orgPage } from '../org-page.ts'
import { unitPath } from '../shell/addresses.ts'
import { Form } from '../shell/layout.tsx'
import { Ago, Card, Command, Empty, Notice, REACHABLE } from '../shell/parts.tsx'
import { htmlReply } from '../shell/render.ts'
import { UnitFrame, type UnitPage, openUnit } from './frame.tsx'

const path = '/units/{unit}/outputs'
const params = UnitParams.shape

export const outputRoutes: readonly Route[] = [
  orgPage({
    path,
    params,
    id: 'showUnitOutputs',
    action: 'outputs:read',
    summary: 'The outputs of a unit',
    // Values, though not those of sensitive outputs.
    isSecret: true,
    async handle(request, services) {
      const page = await openUnit(request, services)
      const commit = await currentOutputs(() =>
        services.control.outputs.get(page.ref, { sensitive: false }, request.caller),
      )
      return htmlReply(<OutputsPage page={page} commit={commit} now={services.clock.now()} />)
    },
  }),
  orgForm({
    path,
    params,
    id: 'revealUnitOutputs',
    action: 'outputs:read',
    also: ['outputs:read-sensitive'],
    summary: 'Show the values of sensitive outputs of a unit, which is recorded',
    isSecret: true,
    fields: {},
    async handle(request, services) {
      const page = await openUnit(request, services)
      const commit = await currentOutputs(() =>
        services.control.outputs.get(page.ref, { sensitive: true }, request.caller),
      )
      return htmlReply(<OutputsPage page={page} commit={commit} now={services.clock.now()} isRevealed />)
    },
  }),
]

/** Undefined: it has no state. */
async function currentOutputs(
  read: () => Promise<OutputsCommitView>,
): Promise<OutputsCommitView | undefined> {
  try {
    return await read()
  } catch (error) {
    if (isTacoError(error, 'NOT_FOUND')) return undefined
    throw error
  }
}

interface OutputsPageProps {
  readonly page: UnitPage
  readonly commit: OutputsCommitView | undefined
  readonly now: number
  readonly isRevealed?: boolean
}

function OutputsPage({ page, commit, now, isRevealed = false }: OutputsPageProps) {
  const { view, unit } = page
  const outputs = commit?.outputs ?? []
  const hasHidden = !isRevealed && outputs.some(({ sensitive }) => sensitive)
  const mayReveal = view.may('outputs:read-sensitive', unit)
  return (
    <UnitFrame of={page} tab="outputs">
      <div class="grid">
        {isRevealed && (
          <Notice kind="warn">
            <p>
              This page shows sensitive values. That you looked at them is recorded.{' '}
              <a href={unitPath(view.org.base, unit.name, 'outputs')}>Hide them</a>
            </p>
          </Notice>
        )}
        {outputs.length === 0 ? (
          <Empty title="No outputs">
            <p class="muted">{emptyText(page, commit)}</p>
          </Empty>
        ) : (
          <Card>
            <p class="muted">
              Commit {commit?.commit}, <Ago at={commit?.at ?? now} now={now} />
              {commit !== undefined && ` by ${sayAuthor(commit)}`}
            </p>
            <OutputTable outputs={outputs} />
            {hasHidden && mayReveal && (
              <Form view={view} action={unitPath(view.org.base, unit.name, 'outputs')} class="bar actions">
                <button class="button" type="submit">
                  Show sensitive values
                </button>
                <span class="muted">It is recorded that you looked at them.</span>
              </Form>
            )}
            {hasHidden && !mayReveal && (
              <p class="muted">
                You may not see sensitive values: that takes the right <code>outputs:read-sensitive</code>.
              </p>
            )}
          </Card>
        )}
        <Command>{`taco outputs show ${unit.name}${isRevealed ? ' --sensitive' : ''}`}</Command>
      </div>
    </UnitFrame>
  )
}

function emptyText({ unit }: UnitPage, commit: OutputsCommitView | undefined): string {
  if (unit.state === null) return 'The unit has no state yet.'
  if (commit?.outputs === null) return 'The state is encrypted, so its outputs are unknown.'
  return 'The state has no outputs.'
}

function OutputTable({ outputs }: { readonly outputs: readonly OutputView[] }) {
  return (
    <section class="scroll" aria-label="Outputs" {...REACHABLE}>
      <table data-list>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Value</th>
            <th scope="col">Type</th>
            <th scope="col" class="right">
              Since commit
            </th>
          </tr>
        </thead>
        <tbody>
          {outputs.map((output) => (
            <tr>
              <td class="mono">{output.name}</td>
              <td>
                {output.json === undefined ? (
                  <span class="muted">
                    <span aria-hidden="true">•••••••• </span>
                    {output.sensitive ? 'sensitive' : 'not available'}
                  </span>
                ) : (
                  <code class="value">{shownJson(output.json)}</code>
                )}
              </td>
              <td class="mono muted">{output.type}</td>
              <td class="num right">{output.since}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

/** Over several lines if it is long. Numbers keep every digit: then it stays as it is. */
function shownJson(json: string): string {
  if (json.length < 80 || /\d{16}/.test(json)) return json
  return JSON.stringify(JSON.parse(json), null, 2)
}
