import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import { expect, onTestFinished, test } from 'vitest'
import { certificateFor } from '../../../../test/rig/certificate.ts'
import { createHttpsUpstream } from './https-upstream.ts'

const certificate = certificateFor(['127.0.0.1', 'localhost'], new Date(0), new Date(Date.now() + 86_400_000))

/** A registry on the loopback address, which is private. */
async function start(answer: (req: IncomingMessage, res: ServerResponse) => void): Promise<string> {
  const server = createServer({ key: certificate.key, cert: certificate.cert }, answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  return `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
}

function upstreamOf(...hosts: readonly string[]) {
  return createHttpsUpstream(hosts, { ca: certificate.cert })
}

const failed = (words: string) => ({
  code: 'UPSTREAM_FAILED',
  message: expect.stringContaining(words) as unknown,
})

test('a registry that was named may be in a private network, another may not', async () => {
  const host = await start((_, res) => res.end('hello'))
  const url = new URL(`https://${host}/x`)
  expect(await upstreamOf(host).text(url, 100)).toBe('hello')
  await expect(upstreamOf('registry.example.com').text(url, 100)).rejects.toMatchObject(
    failed('private address'),
  )
  for (const wrong of ['https://169.254.169.254/x', 'https://[::1]/x', 'https://[::ffff:10.0.0.1]/x'])
    await expect(upstreamOf(host).text(new URL(wrong), 100)).rejects.toMatchObject(failed('private address'))
  await expect(upstreamOf(host).text(new URL(`http://${host}/x`), 100)).rejects.toMatchObject(failed('https'))
})

test('a redirect is followed as far as its target may be asked', async () => {
  const inside = await start((_, res) => res.end('secret'))
  const host = await start((req, res) => {
    const to: Readonly<Record<string, string>> = {
      '/fine': '/end',
      '/inside': `https://${inside}/`,
      '/plain': `http://${inside}/`,
      '/circle': '/circle',
    }
    if (req.url === '/end') res.end('end')
    else res.writeHead(302, { location: to[req.url ?? ''] ?? '/end' }).end()
  })
  const { text } = upstreamOf(host)
  expect(await text(new URL(`https://${host}/fine`), 100)).toBe('end')
  await expect(text(new URL(`https://${host}/inside`), 100)).rejects.toMatchObject(failed('private address'))
  await expect(text(new URL(`https://${host}/plain`), 100)).rejects.toMatchObject(failed('https'))
  await expect(text(new URL(`https://${host}/circle`), 100)).rejects.toMatchObject(failed('too often'))
})

test('what is missing, broken or too large is told apart', async () => {
  const host = await start((req, res) => {
    if (req.url === '/missing') res.writeHead(404).end()
    else if (req.url === '/broken') res.writeHead(500).end()
    else if (req.url === '/large') res.end('x'.repeat(1_000))
    else {
      res.writeHead(200, { 'content-length': 100 })
      res.write('half of it', () => res.destroy())
    }
  })
  const { text, stream } = upstreamOf(host)
  const at = (path: string) => new URL(`https://${host}${path}`)
  await expect(text(at('/missing'), 100)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  await expect(text(at('/broken'), 100)).rejects.toMatchObject(failed('status 500'))
  await expect(text(at('/large'), 100)).rejects.toMatchObject(failed('more than 100 bytes'))
  await expect(text(at('/cut'), 1_000)).rejects.toMatchObject({ code: 'UPSTREAM_FAILED' })
  const reading = async () => {
    for await (const _ of await stream(at('/cut')));
  }
  await expect(reading()).rejects.toMatchObject({ code: 'UPSTREAM_FAILED' })
  await expect(createHttpsUpstream([host]).text(at('/x'), 100)).rejects.toMatchObject({
    code: 'UPSTREAM_FAILED',
  })
})
