import { TacoError } from '../../base/errors.ts'
import type { Spool } from '../../base/spool.ts'
import { takeIn } from '../../bucket/index.ts'
import type { StateFacts } from '../content/scan.ts'
import { StateScan } from '../content/scan.ts'
import type { LongWork } from '../long-work.ts'
import type { OutsideIntake } from '../protocol/context.ts'
import type { ReceiveOptions, ReceivedState } from '../state-control.ts'

export interface Intake extends OutsideIntake {
  receive(stream: AsyncIterable<Uint8Array>, options: ReceiveOptions): Promise<ReceivedState>
}

/** `digestKey` gives the organization's key for digests of sensitive outputs. */
export function createIntake(
  spool: Spool,
  work: Pick<LongWork, 'digestOutput'>,
  digestKey: (org: string) => Promise<Uint8Array>,
): Intake {
  return {
    async receive(stream, options) {
      const scan = new StateScan({ sensitiveKey: await digestKey(options.org) })
      const taken = await takeIn(stream, spool, { ...options, tooLarge: stateTooLarge }, (chunk) => {
        scan.push(chunk)
        return scan.settle(work.digestOutput)
      })
      try {
        return { ...taken, facts: scan.finish() }
      } catch (error) {
        await taken.dispose()
        throw error
      }
    },

    async receiveOutside(stream, org) {
      // No one can make it smaller: it is already current.
      const scan = new StateScan({ sensitiveKey: await digestKey(org), tooManyOutputs: 'unknown' })
      let isState = true
      const attempt = <T>(read: () => T): T | undefined => {
        try {
          return isState ? read() : undefined
        } catch {
          // It is not a state. We keep its bytes all the same.
          isState = false
          return undefined
        }
      }
      const taken = await takeIn(stream, spool, { maxBytes: Infinity, tooLarge: stateTooLarge }, (chunk) =>
        attempt(() => {
          scan.push(chunk)
          return scan.settle(work.digestOutput)
        })?.catch(() => {
          isState = false
        }),
      )
      const facts: StateFacts | undefined = attempt(() => scan.finish())
      return { ...taken, facts }
    },
  }
}

export function stateTooLarge(maxBytes: number): TacoError {
  return new TacoError('TOO_LARGE', `The state is larger than ${maxBytes} bytes.`, {
    facts: { field: 'body', maxBytes },
    hint: 'Raise --max-state on the server if the state is meant to be this large.',
  })
}
