import {
  createPeople,
  createServerSettings,
  createTokens,
  keyRingFrom,
  newKeyText,
  systemCaller,
} from '../../src/access/index.ts'
import { systemClock } from '../../src/base/clock.ts'
import { randomIds } from '../../src/base/ids.ts'
import { silentLog } from '../../src/base/log.ts'
import { openBucket } from '../../src/wire/buckets.ts'
import { freePort } from '../peers/free-port.ts'
import { silentJournal } from '../support/journal.ts'
import { type Server, startServer } from './server.ts'
import { tempFolder } from './temp.ts'

export interface SignInServer extends Server {
  /** As browsers reach it. */
  readonly publicUrl: string
  readonly rootToken: string
  readonly secretKey: string
}

/** The built `taco serve --auth sso`, with these sign-in providers set up. `home`: of the certificate that it makes. */
export async function startSignInServer(
  providers: readonly unknown[],
  { home }: { readonly home?: string } = {},
): Promise<SignInServer> {
  const bucket = `file://${await tempFolder()}/bucket`
  const { text: secretKey } = newKeyText()
  await addProviders(bucket, secretKey, providers)
  const port = await freePort()
  const isSecure = home !== undefined
  const publicUrl = `${isSecure ? 'https' : 'http'}://localhost:${port}`
  const rootToken = 'the-root-token-of-this-test-0123456789'
  const server = await startServer({
    bucket,
    port,
    isSecure,
    args: ['--auth', 'sso', '--public-url', publicUrl, ...(isSecure ? ['--tls', 'auto'] : [])],
    env: {
      TACO_ROOT_TOKEN: rootToken,
      TACO_SECRET_KEY: secretKey,
      ...(isSecure ? { HOME: home } : {}),
    },
  })
  return { ...server, publicUrl, rootToken, secretKey }
}

async function addProviders(url: string, secretKey: string, providers: readonly unknown[]): Promise<void> {
  const deps = await openBeside(url, secretKey)
  const settings = createServerSettings(deps)
  for (const provider of providers) await settings.putProvider(provider, systemCaller('opentaco'))
  await deps.bucket.close()
}

/** Somebody who has signed in with the provider `peer`, and a personal token of theirs. */
export async function personalToken(
  { bucket: url, secretKey }: Pick<SignInServer, 'bucket' | 'secretKey'>,
  login: string,
  groups: readonly string[] = [],
): Promise<string> {
  const deps = await openBeside(url, secretKey)
  const caller = systemCaller('opentaco')
  const people = createPeople(deps)
  const { id } = await people.signIn({ provider: 'peer', subject: login, login, groups }, caller)
  const owners = { user: () => undefined, team: () => undefined }
  const tokens = createTokens({ ...deps, ring: deps.keys, log: silentLog, owners })
  const { text } = await tokens.create({ name: 'test', owner: { kind: 'personal', user: id } }, caller)
  await deps.bucket.close()
  return text
}

/** What a server over the same bucket has. */
async function openBeside(url: string, secretKey: string) {
  const { bucket } = await openBucket(url, { mayCreate: true, isReadOnly: false })
  const keys = await keyRingFrom({ label: 'the test', read: () => Promise.resolve(secretKey) })
  return { bucket, keys, clock: systemClock, ids: randomIds, journal: silentJournal().journal }
}
