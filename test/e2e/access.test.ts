import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { engines } from '../rig/engines.ts'
import { httpBackend, oneResource } from '../rig/hcl.ts'
import { startServer } from '../rig/server.ts'
import { runTaco } from '../rig/taco.ts'
import { tempFolder } from '../rig/temp.ts'
import { workdir } from '../rig/workdir.ts'

const token = 'an-example-of-a-root-token-0123456789'

function startWithToken() {
  return startServer({ args: ['--auth', 'token'], env: { TACO_ROOT_TOKEN: token } })
}

describe.each(engines())('$name', (engine) => {
  test('gets in with the right token and learns what is wrong without it', async () => {
    const server = await startWithToken()
    const code = await workdir(engine, httpBackend(server.url, 'prod/app') + oneResource('first'))

    const wrong = await code.run(['init', '-no-color'], {
      TF_HTTP_USERNAME: 'taco',
      TF_HTTP_PASSWORD: 'not-the-token',
    })
    const none = await code.run(['init', '-no-color'])
    const right = { TF_HTTP_USERNAME: 'taco', TF_HTTP_PASSWORD: token }
    await code.must(['init', '-reconfigure'], right)
    await code.must(['apply', '-auto-approve'], right)

    expect([wrong.code, none.code]).toEqual([1, 1])
    expect(wrong.output).toMatch(/endpoint (requires|invalid) auth/)
    expect(none.output).toContain('endpoint requires auth')
  })
})

test('the CLI takes its token from a file or a variable, and never shows it', async () => {
  const server = await startWithToken()
  const folder = await tempFolder()
  await writeFile(join(folder, 'token'), `${token}\n`)
  const target = ['--server', server.url]

  const without = await runTaco(['unit', 'ls', ...target], { cwd: folder })
  const wrong = await runTaco(['unit', 'ls', ...target], { cwd: folder, env: { TACO_TOKEN: 'wrong' } })
  const byFile = await runTaco(['unit', 'ls', ...target, '--token-file', 'token'], { cwd: folder })
  const byVariable = await runTaco(['unit', 'ls', '--debug', ...target], {
    cwd: folder,
    env: { TACO_TOKEN: token },
  })

  expect([without.code, wrong.code, byFile.code, byVariable.code]).toEqual([5, 5, 0, 0])
  expect(without.stderr).toContain('hint')
  expect(byVariable.output + server.output()).not.toContain(token)
})

test('a server without a token is refused on an address that others can reach', async () => {
  const folder = await tempFolder()

  const refused = await runTaco(
    ['serve', '--bucket', `file://${folder}/bucket`, '--listen', '0.0.0.0:0', '--auth', 'none'],
    { cwd: folder },
  )

  expect(refused.code).toBe(5)
  expect(refused.stderr).toContain('--auth token')
})
