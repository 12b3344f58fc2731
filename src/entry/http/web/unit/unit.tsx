import { visibleDependencies, visibleStatus } from '../../../../graph/index.ts'
import { noSuchUnit } from '../../../../state/index.ts'
import type { Route } from '../../kit/routes/route.ts'
import { UnitParams } from '../../openapi/api.ts'
import { orgPage } from '../org-page.ts'
import { unitPath } from '../shell/addresses.ts'
import { Layout } from '../shell/layout.tsx'
import { Card, Command, Crumbs, Split, Why } from '../shell/parts.tsx'
import { htmlReply } from '../shell/render.ts'
import { StatusChip, lookOf } from '../shell/status.tsx'

export const unitRoutes: readonly Route[] = [
  orgPage({
    path: '/units/{unit}',
    params: UnitParams.shape,
    id: 'showUnit',
    action: 'unit:read',
    summary: 'A unit',
    async handle({ params, target, caller, view }, { graph, control }) {
      const ref = { org: params.org, unit: target.unit ?? params.unit }
      const { name, id } = await control.units.get(ref, caller)
      const visible = await control.units.visible(params.org, caller)
      const seen = visible ?? { has: () => true }
      const status = await graph.status({ org: params.org, unit: id, direction: 'none' }, caller)
      const [item] = visibleStatus(status, seen).items
      const { uses, usedBy } = visibleDependencies(await graph.dependencies.list(ref, caller), seen)
      if (item === undefined) throw noSuchUnit(ref)
      const { base } = view.org
      return htmlReply(
        <Layout view={view} title={name}>
          <Crumbs org={view.org} unit={name} />
          <div class="bar">
            <h1>{name.split('/').at(-1)}</h1>
            <StatusChip node={item} />
          </div>
          <Split side={<Command>{`taco unit show ${name}`}</Command>}>
            {item.reasons.length > 0 && (
              <Card title="Why">
                <Why look={lookOf(item)}>
                  {item.reasons.map(({ says }) => (
                    <p>{says}</p>
                  ))}
                </Why>
              </Card>
            )}
            <Card title="Dependencies">
              {uses.map(({ on }) => (
                <p>
                  Uses{' '}
                  <a class="mono" href={unitPath(base, on.name)}>
                    {on.name}
                  </a>
                </p>
              ))}
              {usedBy.map((user) => (
                <p>
                  Used by{' '}
                  <a class="mono" href={unitPath(base, user.name)}>
                    {user.name}
                  </a>
                </p>
              ))}
              {uses.length + usedBy.length === 0 && (
                <p class="muted">It uses no unit, and no unit uses it.</p>
              )}
            </Card>
          </Split>
        </Layout>,
      )
    },
  }),
]
