import type { Log } from '../../../base/log.ts'
import type { Output } from './output.ts'

/** What the layers below log is shown with --debug: a command reports its own failures. */
export function traceLog({ trace }: Pick<Output, 'trace'>): Log {
  const say = (message: string, fields?: Readonly<Record<string, unknown>>) =>
    trace(fields === undefined ? message : `${message} ${JSON.stringify(fields)}`)
  return { debug: say, info: say, warn: say, error: say }
}
