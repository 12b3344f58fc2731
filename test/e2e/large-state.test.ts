import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { memoryOf, resetPeak } from '../rig/memory.ts'
import { startServer } from '../rig/server.ts'

const megabyte = 1_000_000

/** A state of about 200 MB, made while it is sent: the test must not be the one that needs the memory. */
function* largeState(serial: number): Generator<Buffer> {
  yield Buffer.from(
    `{"version":4,"terraform_version":"1.9.0","serial":${serial},"lineage":"large","outputs":{},"resources":[`,
  )
  const value = 'x'.repeat(990)
  for (let block = 0; block < 200; block++) {
    const resources = Array.from({ length: 1000 }, (_, at) => {
      const name = `r${block}_${at}`
      return `{"mode":"managed","type":"terraform_data","name":"${name}","instances":[{"attributes":{"id":"${name}","input":"${value}"}}]}`
    })
    yield Buffer.from((block === 0 ? '' : ',') + resources.join(','))
  }
  yield Buffer.from(']}')
}

test('a state of 200 MB goes through without being held in memory', async () => {
  const server = await startServer()
  const address = `${server.url}/v1/backend/default/large`
  const sent = createHash('sha256')
  let bytes = 0
  for (const part of largeState(1)) {
    sent.update(part)
    bytes += part.length
  }
  // One small round first, so that code and connections that every request needs are loaded.
  await fetch(`${server.url}/v1/backend/default/small`, {
    method: 'POST',
    body: '{"version":4,"serial":1,"lineage":"s","outputs":{},"resources":[]}',
  })
  const idle = await memoryOf(server.pid)
  await resetPeak(server.pid)

  const stored = await fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-length': String(bytes) },
    body: Readable.toWeb(Readable.from(largeState(1))),
    duplex: 'half',
  })
  const afterWrite = await memoryOf(server.pid)
  await resetPeak(server.pid)
  const received = createHash('sha256')
  const answer = await fetch(address)
  for await (const part of answer.body ?? []) received.update(part)
  const afterRead = await memoryOf(server.pid)
  await resetPeak(server.pid)
  const compared = await fetch(`${server.url}/v1/units/large/diff?from=1&to=1`)
  const afterDiff = await memoryOf(server.pid)

  const grown = (peak: number) => Math.round((peak - idle.now) / megabyte)
  const figures = `idle ${Math.round(idle.now / megabyte)} MB, writing +${grown(afterWrite.peak)} MB, reading +${grown(afterRead.peak)} MB`
  process.stdout.write(`${Math.round(bytes / megabyte)} MB state: ${figures}\n`)
  expect(stored.status, await stored.text()).toBe(200)
  expect(received.digest('hex')).toBe(sent.digest('hex'))
  expect(grown(afterWrite.peak), figures).toBeLessThan(100)
  expect(grown(afterRead.peak), figures).toBeLessThan(100)
  expect(await compared.json()).toMatchObject({
    status: 413,
    code: 'TOO_LARGE',
    field: 'version',
    hint: expect.stringContaining('taco state pull large') as string,
  })
  expect(grown(afterDiff.peak), 'a comparison that is refused').toBeLessThan(100)
})
