import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { freePort } from '../peers/free-port.ts'
import { serveOnLoopback } from '../peers/loopback.ts'
import { startOidc } from '../peers/oidc.ts'
import { engines } from '../rig/engines.ts'
import { httpBackend, oneResource } from '../rig/hcl.ts'
import { startServer } from '../rig/server.ts'
import { runTaco } from '../rig/taco.ts'
import { tempFolder } from '../rig/temp.ts'
import { workdir } from '../rig/workdir.ts'

const rootToken = randomBytes(32).toString('hex')

/** A server on which people can sign in, an issuer of identity tokens, and the root token to set things up. */
async function open() {
  const port = await freePort()
  const publicUrl = `http://localhost:${port}`
  const server = await startServer({
    port,
    args: ['--auth', 'sso', '--public-url', publicUrl],
    env: { TACO_ROOT_TOKEN: rootToken, TACO_SECRET_KEY: `k1:${randomBytes(32).toString('base64')}` },
  })
  const issuer = await startOidc()
  onTestFinished(() => issuer.dispose())
  const home = await tempFolder()
  const taco = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    runTaco(args, { cwd: home, env: { TACO_SERVER: server.url, TACO_TOKEN: rootToken, ...env } })
  return { server, issuer, publicUrl, home, taco }
}

test('a CI job applies with its own identity, within its rule, and no secret is stored anywhere', async () => {
  const { server, issuer, publicUrl, taco } = await open()
  const [engine] = engines()
  if (engine === undefined) return
  const rule = ['--issuer', issuer.issuer, '--claim', 'sub=repo:acme/infra:*', '--role', 'admin']
  const stored = await taco(['workload', 'set', 'deploy', ...rule, '--unit', 'prod/**'])
  expect(stored.output).toContain('stored deploy')
  const exchange = async (sub: string) => {
    const answer = await fetch(`${server.url}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        subject_token: await issuer.mint({ aud: publicUrl, sub }),
        subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
      }),
    })
    return { status: answer.status, json: (await answer.json()) as Record<string, unknown> }
  }

  const job = await exchange('repo:acme/infra:ref:refs/heads/main')
  expect(job).toMatchObject({ status: 200, json: { token_type: 'Bearer', expires_in: expect.any(Number) } })
  const env = { TF_HTTP_USERNAME: 'taco', TF_HTTP_PASSWORD: String(job.json['access_token']) }
  const code = await workdir(engine, httpBackend(server.url, 'prod/app') + oneResource('first'))
  await code.must(['init'], env)
  await code.must(['apply', '-auto-approve'], env)
  const other = await workdir(engine, httpBackend(server.url, 'dev/app') + oneResource('first'))
  expect((await other.run(['init', '-no-color'], env)).output).toMatch(/403|forbidden|auth/i)

  const idToken = await issuer.mint({ aud: publicUrl, sub: 'repo:acme/infra:ref:refs/heads/main' })
  const inJob = { TACO_TOKEN: '', TACO_ID_TOKEN: idToken }
  expect((await taco(['login', '--workload'], inJob)).output).toContain('as token:default/deploy')
  expect((await taco(['unit', 'show', 'prod/app'], { TACO_TOKEN: '' })).output).toContain('prod/app')

  const history = await taco(['state', 'versions', 'prod/app', '--json'])
  expect(history.output).toContain('token:default/deploy (repo:acme/infra:ref:refs/heads/main)')
  expect(await exchange('repo:acme/other:ref:refs/heads/main')).toMatchObject({ status: 401 })
  expect(server.output()).not.toContain(env.TF_HTTP_PASSWORD)
  expect(server.output()).not.toContain(rootToken)
})

test('taco login --workload gets the identity of the job from GitHub Actions, a variable or a file', async () => {
  const { server, issuer, publicUrl, home, taco } = await open()
  const sub = 'repo:acme/infra:environment:prod'
  const rule = ['--issuer', issuer.issuer, '--claim', `sub=${sub}`, '--role', 'reader']
  await taco(['workload', 'set', 'read', ...rule])
  // What the runner of GitHub Actions offers to a job.
  const actions = await serveOnLoopback(() => (req, res) => {
    const { searchParams } = new URL(String(req.url), 'http://localhost')
    const aud = searchParams.get('audience') ?? ''
    if (req.headers.authorization !== 'Bearer request-token') res.writeHead(401).end()
    else void issuer.mint({ aud, sub }).then((value) => res.end(JSON.stringify({ value })))
  })
  onTestFinished(() => actions.dispose())
  const idToken = await issuer.mint({ aud: publicUrl, sub })
  await writeFile(join(home, 'id-token'), idToken)
  const login = ['login', '--workload', server.url]

  for (const [args, env] of [
    [
      login,
      {
        ACTIONS_ID_TOKEN_REQUEST_URL: `${actions.url}/token?api-version=2.0`,
        ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'request-token',
      },
    ],
    [login, { TACO_ID_TOKEN: idToken }],
    [[...login, '--id-token-file', join(home, 'id-token')], {}],
  ] as const) {
    const signedIn = await taco(args, { TACO_TOKEN: '', ...env })
    expect(signedIn.output).toContain(`as token:default/read (${sub})`)
    expect((await taco(['unit', 'ls'], { TACO_TOKEN: '' })).code).toBe(0)
  }
  const none = await taco(login, { TACO_TOKEN: '' })
  expect([none.code, none.output]).toEqual([2, expect.stringContaining('is no identity token')])
})

test('a token is created, used and revoked from the command line, and its text is printed alone', async () => {
  const { server, home, taco } = await open()
  const create = ['token', 'create', '--name', 'ci', '--org-token', '--role', 'reader', '--expires', '30d']
  const made = await taco([...create, '--quiet'])
  const token = made.stdout.trim()
  expect(token).toMatch(/^taco_org_\S+$/)
  await writeFile(join(home, 'token'), token)
  const [, id = ''] = /taco_org_(\w+)\./.exec(token) ?? []

  expect((await taco(['token', 'ls', '--org-token'])).output).toMatch(
    new RegExp(`at-${id} +ci +reader +not narrowed +never +just now +expires in 30 d`),
  )
  expect((await taco(['unit', 'ls'], { TACO_TOKEN: '', TACO_TOKEN_FILE: join(home, 'token') })).code).toBe(0)
  expect((await taco(['token', 'show', `at-${id}`])).output).toMatch(/last used: +just now/)
  expect((await taco(['token', 'revoke', `at-${id}`])).output).toContain(`revoked at-${id}`)

  const refused = await taco(['unit', 'ls'], { TACO_TOKEN: token })
  expect([refused.code, refused.output]).toEqual([5, expect.stringContaining('revoked by token:root')])
  expect(refused.output + server.output()).not.toContain(token.split('.')[1])
})
