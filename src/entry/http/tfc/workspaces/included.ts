import { type UnitView } from '../../../../state/index.ts'
import type { TfcServices } from '../kit/define.ts'
import { type Relationship, type ResourceObject, includes, many } from '../kit/json-api.ts'
import { viewOrganization } from '../organizations/view.ts'
import { viewProject } from '../projects/view.ts'
import { settingsOf } from '../../../../projects/index.ts'
import { effectiveLabels, viewBindings } from './tags.ts'
import { type WorkspaceViewer, projectOf } from './view.ts'

interface Included {
  /** Relations that are only there if they were asked for. */
  readonly relationships: Readonly<Record<string, Relationship>>
  readonly included: readonly ResourceObject[]
}

/** What `include` asks for beside a workspace. */
export async function includedWith(
  services: TfcServices,
  unit: UnitView,
  viewer: WorkspaceViewer,
  query: { readonly include?: string | undefined },
): Promise<Included> {
  const asked = includes(query)
  const relationships: Record<string, Relationship> = {}
  const included: ResourceObject[] = []
  if (asked.has('organization'))
    included.push(
      viewOrganization(
        await services.control.orgs.get(unit.org, viewer.caller),
        viewer.settings,
        viewer.caller,
      ),
    )
  const project = projectOf(settingsOf(unit), viewer)
  if (asked.has('project') && project !== undefined) included.push(viewProject(project, viewer))
  if (asked.has('effective-tag-bindings')) {
    const bindings = viewBindings(unit.id, effectiveLabels(unit, viewer), 'effective-tag-bindings')
    relationships['effective-tag-bindings'] = many(
      'effective-tag-bindings',
      bindings.map(({ id }) => id),
    )
    included.push(...bindings)
  }
  return { relationships, included }
}
