import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../peers/free-port.ts'
import { runShell } from '../../rig/taco.ts'
import { tempFolder } from '../../rig/temp.ts'
import { eventually } from '../../rig/wait.ts'

const executable = fileURLToPath(new URL('../../../bin/taco', import.meta.url))

test('a server whose log nobody reads any more goes on, and ends as it should', async () => {
  const cwd = await tempFolder()
  const port = await freePort()
  const served = spawn(process.execPath, [executable, 'serve', '--listen', `127.0.0.1:${port}`], {
    cwd,
    env: { HOME: cwd },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  onTestFinished(() => void served.kill('SIGKILL'))
  const ended = once(served, 'exit')
  const isReady = async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).ok
  await eventually('the server to be ready', isReady)

  const unread = once(served.stderr, 'close')
  served.stderr.destroy()
  await unread
  for (let i = 0; i < 3; i++) expect((await fetch(`http://127.0.0.1:${port}/v1/units`)).status).toBe(200)
  served.kill('SIGTERM')

  expect((await ended)[0]).toBe(0)
})

test('exec lasts as long as what it runs, whether or not anybody reads what it says', async () => {
  const cwd = await tempFolder()
  const waits = 'until [ -e unread ]; do sleep 0.05; done; exit 41'
  await runShell(
    `(taco exec app --bucket ./states --debug -- sh -c '${waits}'; echo $? > code) 2>&1 | { head -1; exec <&-; touch unread; }`,
    { cwd },
  )

  expect(readFileSync(join(cwd, 'code'), 'utf8')).toBe('41\n')
})
