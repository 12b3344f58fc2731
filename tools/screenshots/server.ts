import { createSignInFlow, systemCaller } from '../../src/access/index.ts'
import { createKeyRing } from '../../src/access/secrets/key-ring.ts'
import { systemClock } from '../../src/base/clock.ts'
import { randomIds } from '../../src/base/ids.ts'
import { silentLog } from '../../src/base/log.ts'
import { openMemoryBucket } from '../../src/bucket/adapters/memory.ts'
import {
  createHttpFace,
  createLongAnswers,
  createMetrics,
  defaultLimits,
  openWebFace,
} from '../../src/entry/http/index.ts'
import { createStateControl } from '../../src/state/index.ts'
import { guardOf } from '../../src/wire/guard.ts'
import { createServices } from '../../src/wire/services.ts'
import { openSpool } from '../../src/wire/spool.ts'
import { testKey } from '../../test/support/tokens.ts'

const publicUrl = 'http://localhost:8226'
const rootToken = '0123456789abcdef'.repeat(4)
const version = '0.1.0'
const setUp = systemCaller('opentaco')

/** Answers of the API are read by name here; what is wrong with one shows in the picture. */
type Json = Record<string, unknown>

/** A person of the story, who talks to the API with a token. */
export interface Actor {
  readonly id: string
  send(method: string, path: string, body?: unknown): Promise<Json>
}

/**
 * A server with sign-in whose clock the story sets, so that the pages have a past. It is the real server in one
 * process; only the bucket is in memory.
 */
export async function startStoryServer(beginsAt: number) {
  let ahead = beginsAt - Date.now()
  const clock = { ...systemClock, now: () => Date.now() + ahead }
  const bucket = openMemoryBucket()
  const world = { bucket, clock, ids: randomIds, log: silentLog }
  const settings = { followEveryMs: 10 }
  const control = await createStateControl({ ...world, spool: openSpool(), settings })
  const services = createServices({ ...world, control, keys: createKeyRing([testKey('k1')]) })
  const { signIn } = services
  if (signIn === undefined) throw new Error('people cannot sign in')
  const deps = {
    ...services,
    control,
    clock,
    ids: randomIds,
    log: silentLog,
    guard: guardOf({ auth: 'sso', rootToken }, '127.0.0.1')(
      { ...control, ...services },
      { refused() {}, limited() {} },
    ),
    limits: defaultLimits,
    metrics: createMetrics(version),
    longAnswers: createLongAnswers(defaultLimits),
    about: { version, bucket: { kind: 's3', label: 's3://acme-states' } },
    ready: () => Promise.resolve(),
  }
  const flow = createSignInFlow({ ...signIn, clock, publicUrl })
  const pages = { ...deps, auth: 'sso', publicUrl, oauth: signIn.oauth, signIn: { ...signIn, flow } } as const
  const face = createHttpFace({ ...deps, faces: [await openWebFace(pages)] })
  await new Promise<void>((resolve) => face.server.listen(0, '127.0.0.1', resolve))
  const address = face.server.address()
  let announced: ReturnType<typeof services.announce> | undefined
  const url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`

  const actor = (id: string, token: string): Actor => ({
    id,
    async send(method, path, body) {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      const isText = typeof body === 'string' || body instanceof Uint8Array
      const sent = body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }
      const answer = await fetch(url + path, { method, headers, ...sent })
      const text = await answer.text()
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
      return text.startsWith('{') ? (JSON.parse(text) as Json) : {}
    },
  })

  return {
    url,
    root: actor('root', rootToken),
    async person(login: string, displayName: string): Promise<Actor> {
      const { id } = await signIn.people.signIn(profileOf(login, displayName), setUp)
      const owner = { kind: 'personal', user: id } as const
      const { text } = await signIn.tokens.create({ name: 'laptop', owner }, setUp)
      return actor(id, text)
    },
    /** The cookie of a session of that person. */
    async session({ id }: Actor): Promise<string> {
      const { login, displayName = login } = await signIn.people.get(id, setUp)
      const person = await signIn.people.signIn(profileOf(login, displayName), setUp)
      return (await signIn.sessions.begin(person, 'okta', { address: '10.0.4.17' }, setUp)).value
    },
    /** The time of the story. It only goes forward. */
    at: (time: number) => void (ahead = time - Date.now()),
    /** Lists the server among those of the bucket, from the time of the story on. */
    announce: () => void (announced ??= services.announce({ version, url: publicUrl, auth: 'sso' })),
    async close(): Promise<void> {
      await face.close(0)
      await announced?.stop()
      await control.close()
    },
  }
}

function profileOf(login: string, displayName: string) {
  const email = { address: `${login}@acme.example`, isVerified: true }
  return { provider: 'okta', subject: login, groups: ['platform'], login, displayName, email }
}

export type StoryServer = Awaited<ReturnType<typeof startStoryServer>>
