import { createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import type { Destination, Recipient } from '../../src/notifications/index.ts'
import { notice } from '../support/notices.ts'

export interface TriedDestination {
  readonly destination: Destination
  readonly to: Recipient
  /** What arrived, as text. */
  got(): readonly string[]
  /** From now on everything is refused, with these words. */
  refuse(words: string): void
}

/** What every destination must do. `at`: one that sends to another place than its own server. */
export function destinationContract(
  open: (at?: { readonly port: number }) => Promise<TriedDestination>,
): void {
  const never = new AbortController().signal

  test('what it sends arrives, with all that a reader needs', async () => {
    const { destination, to, got } = await open()
    const sent = await destination.send(to, notice, never)
    expect(sent).toMatchObject({ isSuccessful: true, code: expect.stringMatching(/^2\d\d$/) })
    const [text = ''] = got()
    for (const part of ['alice locked prod/vpc', 'acme', 'prod--vpc', 'lock:held'])
      expect(text).toContain(part)
    expect(text).toContain('https://taco.example.com/app/acme/units/prod--vpc')
    expect(got()).toHaveLength(1)
  })

  test('markup in what it tells stays text', async () => {
    const { destination, to, got } = await open()
    const message = 'failed: <!channel> & "quotes" <script>'
    await destination.send(to, { ...notice, message }, never)
    expect(got()[0]).toMatch(/channel/)
    expect(got()[0]).toContain('script')
  })

  test('a refusal is an answer, with the words of the other side', async () => {
    const { destination, to, refuse } = await open()
    refuse('quota exceeded')
    expect(await destination.send(to, notice, never)).toMatchObject({
      isSuccessful: false,
      code: expect.stringMatching(/^5\d\d$/),
      body: expect.stringContaining('quota exceeded'),
    })
  })

  test('a place where no one listens is an answer, too', async () => {
    const port = await silentPort((server) => server.close())
    const { destination, to } = await open({ port })
    const sent = await destination.send(to, notice, never)
    expect(sent).toMatchObject({ isSuccessful: false, headers: {} })
    expect([sent.code, sent.body]).toEqual([expect.stringMatching(/\S/), expect.stringMatching(/\S/)])
  })

  test('one that never answers is not waited for', async () => {
    const { destination, to } = await open({ port: await silentPort(() => {}) })
    expect(await destination.send(to, notice, never)).toMatchObject({ isSuccessful: false })
  })
}

/** Accepts connections and says nothing. */
async function silentPort(then: (server: ReturnType<typeof createServer>) => void): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    onTestFinished(() => void socket.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  then(server)
  return port
}
