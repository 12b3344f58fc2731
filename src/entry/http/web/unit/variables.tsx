import type { Effective, Source, VariableView } from '../../../../variables/index.ts'
import type { Route } from '../../kit/routes/route.ts'
import { UnitParams } from '../../openapi/api.ts'
import { orgPage } from '../org-page.ts'
import { Card, Command, Empty, REACHABLE } from '../shell/parts.tsx'
import { htmlReply } from '../shell/render.ts'
import { UnitFrame, openUnit } from './frame.tsx'

export const variableRoutes: readonly Route[] = [
  orgPage({
    path: '/units/{unit}/variables',
    params: UnitParams.shape,
    id: 'showUnitVariables',
    action: 'vars:read',
    summary: 'The variables that apply to a unit',
    async handle(request, services) {
      const page = await openUnit(request, services)
      const { unitVariables } = services
      const all = await unitVariables.effective(await unitVariables.find(page.ref, request.caller))
      return htmlReply(
        <UnitFrame of={page} tab="variables">
          <div class="grid">
            {all.length === 0 ? (
              <Empty title="No variables">
                <p class="muted">
                  The unit has no variables of its own, and no variable set applies to it. Outputs of other
                  units become its variables by its dependencies.
                </p>
              </Empty>
            ) : (
              <VariablesCard all={all} />
            )}
            <Command>{`taco var ls --unit ${page.unit.name}`}</Command>
          </div>
        </UnitFrame>,
      )
    },
  }),
]

function VariablesCard({ all }: { readonly all: readonly Effective<VariableView>[] }) {
  return (
    <Card>
      <section class="scroll" aria-label="Variables" {...REACHABLE}>
        <table data-list>
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Value</th>
              <th scope="col">Kind</th>
              <th scope="col">From</th>
              <th scope="col">Overrides</th>
            </tr>
          </thead>
          <tbody>
            {all.map(({ variable, source, overrides }) => (
              <tr>
                <td class="mono">{variable.key}</td>
                <td>
                  {variable.value === null ? (
                    <span class="muted">
                      <span aria-hidden="true">•••••••• </span>sensitive
                    </span>
                  ) : (
                    <code class="value">{variable.value}</code>
                  )}
                </td>
                <td class="muted">
                  {variable.category === 'env' ? 'environment' : variable.category}
                  {variable.hcl && ', HCL'}
                </td>
                <td>{sourceText(source)}</td>
                <td class="muted">{overrides.map((one) => sourceText(one.source)).join('; ')}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </Card>
  )
}

const SCOPES = { unit: 'for this unit', project: 'for its project', global: 'for all units' } as const

function sourceText(source: Source): string {
  if (source.kind === 'unit') return 'this unit'
  const priority = source.priority ? ', priority' : ''
  return `set ${source.name} (${SCOPES[source.scope]}${priority})`
}
