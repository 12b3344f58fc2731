import type { Handlers } from './programs/programs.ts'

interface Request {
  readonly id: number
  readonly request: string
  readonly input: unknown
}

/** The other end of `startRunning`: answers until the parent hangs up. */
export function answerRequests(handlers: Handlers): void {
  process.on('message', ({ id, request, input }: Request) => {
    const handler = handlers[request] as ((input: unknown) => Promise<unknown>) | undefined
    const answer = handler === undefined ? Promise.reject(new Error(`no ${request} here`)) : handler(input)
    answer.then(
      (value) => process.send?.({ id, value }),
      (error: unknown) =>
        process.send?.({
          id,
          error: error instanceof Error ? (error.stack ?? error.message) : String(error),
        }),
    )
  })
  process.on('disconnect', () => process.exit(0))
}
