import { settingsOf } from '../../../../projects/index.ts'
import type { UnitView } from '../../../../state/index.ts'
import type { TfcServices } from '../kit/define.ts'
import { type Relationship, type ResourceObject, includes, many } from '../kit/json-api.ts'
import { viewOrganization } from '../organizations/view.ts'
import { viewProject } from '../projects/view.ts'
import { outputId, viewWorkspaceOutput } from '../state-versions/output-view.ts'
import { outputsOf } from '../state-versions/read-outputs.ts'
import { viewStateVersion } from '../state-versions/view.ts'
import { may } from './rights.ts'
import { effectiveLabels, viewBindings } from './tags.ts'
import { type WorkspaceViewer, lockHolder, projectOf } from './view.ts'

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
  if (asked.has('current-state-version') && unit.state !== null)
    included.push(viewStateVersion(unit.state, { base: services.publicUrl ?? '', unit }))
  if (asked.has('outputs') && may(viewer.caller, 'outputs:read', unit)) {
    const commit = await outputsOf(services, { org: unit.org, unit: unit.id }, undefined, viewer.caller)
    const outputs = (commit?.outputs ?? []).map((output) =>
      viewWorkspaceOutput(outputId(unit, commit?.version ?? '', output.name), output),
    )
    relationships['outputs'] = many(
      'workspace-outputs',
      outputs.map(({ id }) => id),
    )
    included.push(...outputs)
  }
  if (asked.has('locked-by')) included.push(...lockHolderOf(unit))
  return { relationships, included }
}

/** Users and teams say who they are; a run has nothing more to say. */
function lockHolderOf(unit: UnitView): readonly ResourceObject[] {
  const holder = lockHolder(unit)
  if (holder === null || holder.type === 'runs') return []
  const name = unit.lock?.who ?? holder.id
  return [{ ...holder, attributes: holder.type === 'users' ? { username: name } : { name } }]
}
