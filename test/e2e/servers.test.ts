import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { openFileBucket } from '../../src/bucket/adapters/file/index.ts'
import { bodyOf } from '../../src/bucket/index.ts'
import { type Server, startServer } from '../rig/server.ts'
import { runTaco } from '../rig/taco.ts'
import { tempFolder } from '../rig/temp.ts'
import { eventually } from '../rig/wait.ts'

async function taco(server: Server, ...args: readonly string[]) {
  return runTaco(args, { cwd: await tempFolder(), env: { TACO_SERVER: server.url } })
}

async function serversSeenBy(server: Server): Promise<string[]> {
  const { items } = (await (await fetch(`${server.url}/v1/servers`)).json()) as {
    items: { url: string; isSeen: boolean }[]
  }
  return items.map(({ url, isSeen }) => `${url} ${isSeen ? 'seen' : 'not seen'}`)
}

/** Changes what is stored there, as if a server had left it so. */
async function rewrite(server: Server, prefix: string, change: (text: string) => string): Promise<void> {
  const bucket = await openFileBucket({ root: fileURLToPath(server.bucket) })
  for await (const page of bucket.list(prefix))
    for (const { key, tag } of page) {
      const text = String(await (await bucket.get(key))?.bytes())
      expect((await bucket.put(key, bodyOf(change(text)), tag)).kind).toBe('written')
    }
}

/** No test waits until a server counts as not seen. */
const anHourAgo = (text: string) =>
  text.replaceAll(/"seenAt":(\d+)/g, (_, at) => `"seenAt":${Number(at) - 3_600_000}`)

test('servers are listed while they run; a killed one is listed as not seen', async () => {
  const first = await startServer()
  const second = await startServer({ bucket: first.bucket })
  await eventually('both are listed', async () => (await serversSeenBy(first)).length === 2)
  const listed = await taco(first, 'server', 'ls')
  expect(listed.stdout).toMatch(new RegExp(`${second.url} .* running`))

  expect(await second.stop()).toBe(0)
  expect(await serversSeenBy(first)).toEqual([`${first.url} seen`])

  await first.kill9()
  await rewrite(first, '.taco/servers/', anHourAgo)
  const third = await startServer({ bucket: first.bucket })
  await eventually('the third is listed', async () => (await serversSeenBy(third)).length === 2)
  expect(await serversSeenBy(third)).toEqual([`${first.url} not seen`, `${third.url} seen`])
  expect((await taco(third, 'server', 'ls')).stdout).toMatch(new RegExp(`${first.url} .* not seen`))
})

test('a check is shown by every server, and one whose server was killed as interrupted', async () => {
  const first = await startServer()
  const second = await startServer({ bucket: first.bucket })
  await taco(first, 'doctor', '--background')
  await eventually('the check has ended', async () =>
    (await taco(second, 'doctor', '--last')).stdout.includes('no problems found'),
  )

  // As a server leaves it that is killed while it checks.
  await first.kill9()
  await rewrite(first, '.taco/checks/', (text) => text.replace('"state":"done"', '"state":"running"'))
  expect((await taco(second, 'doctor', '--background')).stderr).toContain('A check is already running')
  await rewrite(first, '.taco/checks/', anHourAgo)
  expect((await taco(second, 'doctor', '--last')).stderr).toMatch(/started .* was interrupted after/)
  expect((await taco(second, 'doctor', '--background')).code).toBe(0)
  await eventually(
    'the next check has ended',
    async () => !(await taco(second, 'doctor', '--last')).stderr.includes('interrupted'),
  )
})
