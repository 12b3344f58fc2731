import { createSignInFlow, systemCaller } from '../../src/access/index.ts'
import type { OrgPolicy } from '../../src/access/organization/document.ts'
import { bind, putRole } from '../../src/access/organization/transitions.ts'
import { randomIds } from '../../src/base/ids.ts'
import {
  createFailedAttempts,
  createLoginFace,
  createS3Face,
  createTfcFace,
  createWorkloadExchange,
  openWebFace,
  parseTrustedProxies,
  secretSigner,
} from '../../src/entry/http/index.ts'
import { signingKeysOf } from '../../src/wire/guard.ts'
import { openWorkloads } from '../../src/wire/workloads.ts'
import { type Answer, type FaceOptions, type Sent, startFace } from './http-face.ts'
import { createTestBrowser } from './web-face.ts'

const publicUrl = 'http://localhost:7000'
const rootToken = '0123456789abcdef'.repeat(4)
const setUp = systemCaller('opentaco')

/** Whom a request is from: a header with a credential, or none. */
export type Credential = Readonly<Record<string, string>>

export interface Person {
  readonly id: string
  readonly login: string
  readonly token: Credential
}

/** A server in the mode `sso` with every face of it, and people, teams and tokens as the test wants them. */
export async function startSsoFace(options: Pick<FaceOptions, 'bucket' | 'clock'> = {}) {
  const face = await startFace({
    ...options,
    ssoRootToken: rootToken,
    async complete(deps) {
      const { signIn, orgAccess, clock, log, about } = deps
      if (signIn === undefined) throw new Error('people cannot sign in')
      const flow = createSignInFlow({ ...signIn, clock, publicUrl })
      const { oauth } = signIn
      const workloads = openWorkloads(signIn, orgAccess, publicUrl)
      const exchangeWorkload = createWorkloadExchange(workloads, { clock })
      const common = { auth: 'sso', publicUrl, oauth, clock, log } as const
      const web = await openWebFace({ ...deps, ...common, signIn: { ...signIn, flow }, about })
      const login = createLoginFace({ ...common, exchangeWorkload, offers: {} })
      const found = { facts: {}, warnings: [] }
      const trustedProxies = parseTrustedProxies(['127.0.0.1'])
      const attempts = createFailedAttempts(clock)
      const watch = { refused() {}, limited() {} }
      const signingKeys = signingKeysOf({ auth: 'sso', rootToken }, deps.guard, deps, { attempts, watch })
      const signer = secretSigner([rootToken])
      return {
        faces: [web, login],
        signingKeys,
        moreFaces: (all) => [createTfcFace(all, { publicUrl, signer }), createS3Face(all, signingKeys)],
        exchangeWorkload,
        checkProvider: () => Promise.resolve(found),
        ...(trustedProxies && { trustedProxies }),
      }
    },
  })
  const { signIn, orgAccess } = face.deps
  if (signIn === undefined) throw new Error('people cannot sign in')
  const { people, tokens, sessions } = signIn
  let calls = 0

  /** Every call comes from another address: none is refused because of what others did. */
  function send(path: string, { headers, ...sent }: Sent = {}): Promise<Answer> {
    const address = `10.1.${(calls >> 8) & 255}.${calls++ & 255}`
    return face.send(path, { ...sent, headers: { 'x-forwarded-for': address, ...headers } })
  }

  async function person(login: string): Promise<Person> {
    const { id } = await people.signIn({ provider: 'hub', subject: login, login, groups: [] }, setUp)
    const owner = { kind: 'personal', user: id } as const
    const { text } = await tokens.create({ name: `${login}'s`, owner }, setUp)
    return { id, login, token: bearer(text) }
  }

  return {
    ...face,
    send,
    signIn,
    root: bearer(rootToken),
    person,
    /** The cookie of a new session of that person. */
    async session({ id }: Person): Promise<Credential> {
      const { value } = await sessions.begin(await people.get(id, setUp), 'hub', { address: '::1' }, setUp)
      return { cookie: `taco=${value}` }
    },
    /** For a real browser: the cookie of a new session of that person. */
    async browserCookie({ login }: Pick<Person, 'login'>) {
      // Signed in again: those who have not been here for long are not signed in any more.
      const { id } = await people.signIn({ provider: 'hub', subject: login, login, groups: [] }, setUp)
      const { value } = await sessions.begin(await people.get(id, setUp), 'hub', { address: '::1' }, setUp)
      return { name: 'taco', value, url: `http://127.0.0.1:${face.port}` }
    },
    /** Changes who may do what in an organization, as the set-up of a test. */
    async policy(org: string, transition: <T extends OrgPolicy>(policy: T) => T): Promise<void> {
      await orgAccess.change(org, { type: 'role.granted', data: {}, transition }, setUp)
    },
    /** A new name with every call. */
    fresh: (word: string) => `${word}-${++calls}`,
    id: randomIds.id,
    setUp,
  }
}

export function bearer(token: string): Credential {
  return { authorization: `Bearer ${token}` }
}

export type SsoFace = Awaited<ReturnType<typeof startSsoFace>>

/** A browser in which a new person is signed in. `units`: what they may do this with; undefined: with nothing. */
export async function browserOf(
  face: SsoFace,
  login: string,
  units?: readonly string[] | 'all',
  actions: readonly string[] = ['*'],
) {
  const person = await face.person(login)
  if (units !== undefined)
    await face.policy('default', (all) =>
      bind(
        putRole(all, {
          name: login,
          rules: [
            { effect: 'allow', actions: [...actions], ...(units === 'all' ? {} : { units: [...units] }) },
          ],
        }),
        {
          role: login,
          to: `user:${person.id}`,
        },
      ),
    )
  const browser = createTestBrowser(face)
  browser.cookies.set('taco', (await face.session(person))['cookie']?.replace('taco=', '') ?? '')
  return browser
}
