import type { IncomingMessage } from 'node:http'
import type { Clock } from '../../../base/clock.ts'
import { retry, storePatience } from '../../../base/retry.ts'
import type { RetryRules } from '../../../base/retry.ts'
import { transportFailure } from './failures.ts'
import { storeTime } from './store-time.ts'
import { shortened } from './text.ts'
import type { ShortAnswer } from './text.ts'
import { openTransport } from './transport.ts'
import type { HttpAddress, Outgoing } from './transport.ts'

export interface ExchangeOptions {
  readonly address: HttpAddress
  readonly label: string
  readonly clock: Clock
  readonly retry?: RetryRules | undefined
  /** An attempt fails if nothing was sent or received for this long. */
  readonly idleTimeoutMs: number
}

/** What a call says about itself, for every kind of store. */
export interface Asked {
  /** Statuses that are answers; every other one is a failure. */
  readonly expects: readonly number[]
  /** For messages. */
  readonly what: string
  readonly retry?: boolean | undefined
  readonly signal?: AbortSignal | undefined
}

export interface Exchange<Call extends Asked> {
  /** One attempt. */
  send(request: Outgoing, call: Call): Promise<IncomingMessage>
  /** As many as help. */
  attempts<T>(call: Call, attempt: () => Promise<T>): Promise<T>
  /** By the Date header of the last answer. */
  storeTime(): number | undefined
  close(): void
}

/** Sends and retries; how a request is made and what a status means that is no answer is the store's own. */
export function openExchange<Call extends Asked>(
  options: ExchangeOptions,
  refusalOf: (answer: ShortAnswer, call: Call) => Error,
): Exchange<Call> {
  const { clock, label } = options
  const transport = openTransport(options.address, options.idleTimeoutMs)
  const time = storeTime(clock)
  const patient = { ...(options.retry ?? storePatience().retry), clock }
  return {
    async send(request, call) {
      let answer: IncomingMessage
      try {
        answer = await transport.send(request)
      } catch (error) {
        throw transportFailure(error, label)
      }
      time.note(answer.headers.date)
      if (call.expects.includes(answer.statusCode ?? 0)) return answer
      throw refusalOf(await shortened(answer), call)
    },
    attempts({ signal, retry: isRetried }, attempt) {
      return retry(
        isRetried === false ? { ...patient, attempts: 1, signal } : { ...patient, signal },
        attempt,
      )
    },
    storeTime: () => time.now(),
    close: () => transport.close(),
  }
}
