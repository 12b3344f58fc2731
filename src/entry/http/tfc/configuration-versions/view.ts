import type { ConfigurationVersion } from '../../../../configurations/index.ts'
import type { UnitView } from '../../../../state/index.ts'
import type { TfcServices } from '../kit/define.ts'
import { idBelow } from '../ids.ts'
import { type ResourceObject, one, time } from '../kit/json-api.ts'

/** What clients call the moments at which it got a status. */
const TIMES = {
  pending: 'queued-at',
  uploaded: 'finished-at',
  errored: 'finished-at',
  archived: 'archived-at',
}

/** The configuration version that runs of a workspace use, if they bring none. */
export async function currentVersionOf(
  { configurations }: Pick<TfcServices, 'configurations'>,
  { org, id }: Pick<UnitView, 'org' | 'id'>,
): Promise<ResourceObject | undefined> {
  const version = await configurations.current({ org, of: id })
  return version && viewConfigurationVersion(id, version)
}

/** `uploadUrl`: only for those who may upload, while it waits for its content. */
export function viewConfigurationVersion(
  unit: string,
  version: ConfigurationVersion,
  uploadUrl?: string,
): ResourceObject {
  const id = idBelow('cv', unit, version.id)
  const { autoQueueRuns, speculative, provisional, source, status, times } = version
  const named = Object.entries(TIMES).flatMap(([word, name]) => {
    const at = times[word]
    return at === undefined ? [] : [[name, time(at)]]
  })
  return {
    id,
    type: 'configuration-versions',
    attributes: {
      'auto-queue-runs': autoQueueRuns,
      error: version.error === undefined ? null : 'invalid-archive',
      'error-message': version.error ?? null,
      source,
      speculative,
      provisional,
      status,
      'status-timestamps': Object.fromEntries(named) as Readonly<Record<string, string>>,
      'changed-files': [],
      'upload-url': uploadUrl ?? null,
    },
    relationships: {
      // Nothing reads from code hosts yet.
      'ingress-attributes': one('ingress-attributes', null),
    },
    links: {
      self: `/api/v2/configuration-versions/${id}`,
      ...(version.content === undefined ? {} : { download: `/api/v2/configuration-versions/${id}/download` }),
    },
  }
}
