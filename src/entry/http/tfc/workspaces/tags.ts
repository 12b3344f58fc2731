import { settingsOf } from '../../../../projects/index.ts'
import type { UnitView } from '../../../../state/index.ts'
import type { ResourceObject } from '../kit/json-api.ts'
import { type WorkspaceViewer, projectOf } from './view.ts'

type Labels = Readonly<Record<string, string>>

/** Its own labels and those of its project, where its own come first. */
export function effectiveLabels(
  unit: Pick<UnitView, 'labels' | 'sections'>,
  viewer: WorkspaceViewer,
): Labels {
  const inherited = projectOf(settingsOf(unit), viewer)?.labels
  return inherited === undefined ? unit.labels : { ...inherited, ...unit.labels }
}

/** Labels as tag bindings of what has the id `of`. */
export function viewBindings(
  of: string,
  labels: Labels,
  type: 'tag-bindings' | 'effective-tag-bindings' = 'tag-bindings',
  inherited: Labels = {},
): readonly ResourceObject[] {
  const own = of.slice(of.indexOf('-') + 1)
  return Object.keys(labels)
    .toSorted()
    .map((key) => ({
      id: `tb-${own}${Buffer.from(key).toString('hex')}`,
      type,
      attributes: { key, value: labels[key] },
      ...(Object.hasOwn(inherited, key) ? { links: { 'inherited-from': '' } } : {}),
    }))
}
