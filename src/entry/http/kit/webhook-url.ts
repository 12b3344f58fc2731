import type { Caller } from '../../../access/index.ts'
import { isTacoError } from '../../../base/errors.ts'
import { maskUrl } from '../../../base/text/mask-url.ts'
import type { Configuration } from '../../../notifications/index.ts'
import type { StateControl } from '../../../state/index.ts'

/**
 * The URL of a webhook may be a secret: anyone who knows one of Slack can post there. So it is shown only to those who may change
 * the notification; to others it is masked.
 */
export async function withShownUrl(
  control: Pick<StateControl, 'units'>,
  org: string,
  configuration: Configuration,
  caller: Caller,
): Promise<Configuration> {
  const { url } = configuration
  if (url === undefined || (await mayManage(control, org, configuration, caller))) return configuration
  return { ...configuration, url: maskUrl(url) }
}

async function mayManage(
  { units }: Pick<StateControl, 'units'>,
  org: string,
  { scope }: Configuration,
  caller: Caller,
): Promise<boolean> {
  const { sight } = caller
  if (sight === undefined) return true
  if (scope.kind !== 'unit' || scope.id === undefined) return sight.may('notification:manage', undefined)
  const unit = await units.get({ org, unit: scope.id }, caller).catch((error: unknown) => {
    if (!isTacoError(error, 'NOT_FOUND')) throw error
  })
  return unit !== undefined && sight.may('notification:manage', unit)
}
