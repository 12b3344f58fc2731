import { createHash, generateKeySync, randomBytes } from 'node:crypto'
import {
  type TokenOwners,
  type OAuth,
  type Principal,
  type Tokens,
  clientOf,
  createOAuth,
  createTokens,
} from '../../src/access/index.ts'
import { createKeyRing } from '../../src/access/secrets/key-ring.ts'
import { type Clock, systemClock } from '../../src/base/clock.ts'
import { randomIds } from '../../src/base/ids.ts'
import type { Log } from '../../src/base/log.ts'
import { openMemoryBucket } from '../../src/bucket/adapters/memory.ts'
import { tokenGuard } from '../../src/entry/http/auth/auth.ts'
import { createLoginFace } from '../../src/entry/http/login/face.ts'
import { openWebFace } from '../../src/entry/http/open-web.ts'
import { type TestFace, startFace } from '../rig/http-face.ts'
import { silentJournal } from './journal.ts'

export const publicUrl = 'https://taco.example'
const alice: Principal = {
  kind: 'user',
  id: 'user-1',
  name: 'alice',
  groups: [],
  via: { kind: 'session', id: 's-1' },
}
const csrf = randomBytes(32).toString('base64url')

export interface LoginTest extends TestFace {
  readonly logged: readonly string[]
  readonly tokens: Tokens
  readonly oauth: OAuth
  pass(ms: number): void
  /** From now on, the browser has alice's session, a token of hers, or nothing. */
  as(who: 'session' | 'token' | 'nobody'): void
}

/** A server to which people sign in. Their session is played by the test. */
export async function openLogin(): Promise<LoginTest> {
  let ahead = 0
  let who: 'session' | 'token' | 'nobody' = 'session'
  const clock: Clock = { ...systemClock, now: () => Date.now() + ahead }
  const logged: string[] = []
  const note = (message: string, fields?: object) => void logged.push(`${message} ${JSON.stringify(fields)}`)
  const log: Log = { debug: note, info: note, warn: note, error: note }
  const ring = createKeyRing([{ id: 'k1', key: generateKeySync('hmac', { length: 256 }) }])
  const owners: TokenOwners = {
    user: (id, via) => ({ kind: 'user', id, name: 'alice', groups: [], via }),
    team: () => undefined,
  }
  const deps = {
    bucket: openMemoryBucket(),
    clock,
    ids: randomIds,
    ring,
    log,
    owners,
    journal: silentJournal().journal,
  }
  const tokens = createTokens(deps)
  const oauth = createOAuth({ ...deps, tokens })
  const guard = tokenGuard({ token: 'the-root-token-0123456789', clock })
  const face = await startFace({
    guard,
    log,
    complete: async ({ signIn: _, ...all }) => ({
      faces: [
        {
          ...(await openWebFace({ ...all, auth: 'sso', publicUrl, clock, log, oauth })),
          identify(x) {
            if (who === 'nobody') return guard.identify({ headers: {}, address: x.address })
            const at = clock.now()
            if (who === 'session')
              x.session = {
                id: 's-1',
                userId: 'user-1',
                epoch: 1,
                provider: 'p',
                authenticatedAt: at,
                createdAt: at,
                seenAt: at,
                rights: '',
                csrf,
              }
            return alice
          },
        },
        createLoginFace({
          auth: 'sso',
          publicUrl,
          oauth,
          offers: { 'tfe.v2': '/api/v2/' },
          clock,
          log,
        }),
      ],
    }),
  })
  return { ...face, logged, tokens, oauth, pass: (ms) => (ahead += ms), as: (next) => (who = next) }
}

export const verifier = randomBytes(32).toString('base64url')
export const request = {
  response_type: 'code',
  client_id: 'terraform-cli',
  redirect_uri: 'http://localhost:10003/login',
  code_challenge: createHash('sha256').update(verifier).digest('base64url'),
  code_challenge_method: 'S256',
  state: 'a state & more',
}
export type Fields = Readonly<Record<string, string>>
export const formOf = (fields: Fields) => new URLSearchParams(fields).toString()
export const formType = { 'content-type': 'application/x-www-form-urlencoded' }
export const post = (face: TestFace, path: string, fields: Fields, headers: Fields = {}) =>
  face.send(path, { method: 'POST', headers: { ...formType, ...headers }, body: formOf(fields) })
export const exchange = (face: TestFace, code: string, changes: Fields = {}) =>
  post(face, '/oauth/token', {
    grant_type: 'authorization_code',
    client_id: 'terraform-cli',
    redirect_uri: request.redirect_uri,
    code_verifier: verifier,
    code,
    ...changes,
  })

/** A code for alice, as the page gives it once she has agreed. */
export function codeFor({ oauth }: LoginTest): Promise<string> {
  const { redirect_uri: redirectUri, code_challenge: challenge, client_id } = request
  const person = { id: 'user-1', name: 'alice', session: 's-1' }
  return oauth.issueCode({ client: clientOf(client_id), redirectUri, challenge }, person)
}
