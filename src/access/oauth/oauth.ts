import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import type { Ids } from '../../base/ids.ts'
import { type Bucket, type DocumentStore, createDocumentStore } from '../../bucket/index.ts'
import type { Caller } from '../caller.ts'
import type { KeyRing } from '../secrets/key-ring.ts'
import type { Tokens } from '../tokens/tokens.ts'
import { type OAuthClient, clientOf } from './clients.ts'
import { CODE_MS, DEVICE_MS, type Outcome, POLL_EVERY_MS, checkCode, poll, redeem } from './decisions.ts'
import {
  type DeviceDocument,
  GRANTS_PREFIX,
  type Grant,
  type GrantPerson,
  codeKind,
  deviceKind,
} from './grant-documents.ts'
import { oauthError, refusedGrant } from './oauth-error.ts'
import { newUserCode, readUserCode } from './user-code.ts'

export interface GrantedToken {
  readonly id: string
  readonly token: string
  /** ISO 8601; null: never. */
  readonly expiresAt: string | null
}

/** A device that waits for a person's answer. */
export interface WaitingDevice {
  readonly client: OAuthClient
  readonly machine: string | undefined
  readonly address: string
  readonly requestedAt: number
}

/**
 * Signing in from programs. A program gets a code through the browser, or a device code for a browser elsewhere, and
 * exchanges it for a personal token, once. Each code is a document in the bucket, so that any server can redeem it, and
 * only the compare-and-swap of that document decides who does.
 */
export interface OAuth {
  /** A code for a person who agreed. The redirect URI and the challenge have been checked. */
  issueCode(
    request: {
      readonly client: OAuthClient
      readonly redirectUri: string
      readonly challenge: string
      readonly machine?: string | undefined
    },
    person: GrantPerson,
  ): Promise<string>
  redeemCode(given: {
    readonly client: string
    readonly code: string
    readonly redirectUri: string
    readonly verifier: string
    /** The program, by what it says of itself, for the name of the token. */
    readonly program: string
  }): Promise<GrantedToken>
  startDevice(request: {
    readonly client: string
    readonly machine?: string | undefined
    readonly address: string
  }): Promise<{
    readonly deviceCode: string
    readonly userCode: string
    readonly expiresInMs: number
    readonly intervalMs: number
  }>
  /** Undefined: there is no such code, it has expired, or it has been answered. */
  findDevice(userCode: string): Promise<WaitingDevice | undefined>
  /** False: as above. */
  decideDevice(userCode: string, person: GrantPerson, isAllowed: boolean): Promise<boolean>
  redeemDevice(given: {
    readonly client: string
    readonly deviceCode: string
    readonly program: string
  }): Promise<GrantedToken>
  /** RFC 7009, for personal tokens: whoever has one may end it. Says nothing about what is no such token. */
  revokeToken(token: string): Promise<void>
}

export interface OAuthDeps {
  readonly bucket: Bucket
  readonly clock: Clock
  readonly ids: Ids
  readonly ring: Pick<KeyRing, 'mac'>
  readonly tokens: Pick<Tokens, 'create' | 'check' | 'revoke'>
}

const WAIT = {
  authorization_pending: 'The request has not been answered in the browser yet.',
  slow_down: 'The device asks too often.',
} as const

/** Long enough to notice that a code is presented twice. */
const KEEP_MS = 3_600_000
const SWEEP_EVERY_MS = 600_000

export function createOAuth(deps: OAuthDeps): OAuth {
  const { bucket, clock, ids, ring, tokens } = deps
  const codes = createDocumentStore(deps, codeKind)
  const devices = createDocumentStore(deps, deviceKind)
  let sweptAt = 0

  function secretOf(secret: string, keyId?: string) {
    const { keyId: used, mac } = ring.mac('oauth-grant', secret, keyId)
    return { keyId: used, mac: mac.toString('base64url') }
  }

  function isSecretOf({ secret: stored }: Grant, given: string): boolean {
    const found = Buffer.from(secretOf(given, stored.keyId).mac)
    const wanted = Buffer.from(stored.mac)
    return found.length === wanted.length && timingSafeEqual(found, wanted)
  }

  const deviceIdOf = (userCode: string) =>
    ring.mac('oauth-user-code', userCode).mac.toString('hex').slice(0, 32)

  /**
   * From a presented code to a token. The grant is spent first: of two requests with one code, one gets a token. The
   * other one revokes it, whichever of them is slower (RFC 6749 section 4.1.2).
   */
  async function spend<G extends Grant>(
    store: DocumentStore<G, string>,
    presented: string,
    program: string,
    judge: (grant: G) => { readonly value: G; readonly answer: Outcome },
  ): Promise<GrantedToken> {
    const { id, secret } = readCode(presented)
    const { value, answer } = await store.change(id, (grant) => {
      if (!isSecretOf(grant, secret)) throw refusedGrant()
      return judge(grant)
    })
    if (!('person' in answer)) throw oauthError(answer.kind, WAIT[answer.kind])
    const { person } = answer
    if (answer.kind === 'replayed') {
      if (value.tokenId !== undefined) await revoke(value.tokenId, person)
      throw refusedGrant()
    }
    const { token, text } = await tokens.create(
      { name: tokenName(program, value.machine), owner: { kind: 'personal', user: person.id } },
      callerOf(person),
    )
    const noted = await store.change(id, (grant) => ({
      value: { ...grant, tokenId: token.id },
      answer: grant.isReplayed === true,
    }))
    if (!noted.answer) return { id: token.id, token: text, expiresAt: token.expiresAt }
    await revoke(token.id, person)
    throw refusedGrant()
  }

  async function revoke(tokenId: string, person: GrantPerson): Promise<void> {
    await tokens.revoke(tokenId, { user: person.id }, callerOf(person))
  }

  /** Anyone can ask for a device code, so what was left behind is removed while new ones are made. */
  function sweepSometimes(): void {
    const now = clock.now()
    if (now - sweptAt < SWEEP_EVERY_MS) return
    sweptAt = now
    // Nobody waits for it. What it cannot remove, the next one does.
    sweep(now).catch(() => {})
  }

  async function sweep(now: number): Promise<void> {
    for await (const page of bucket.list(GRANTS_PREFIX))
      for (const { key, tag, modifiedAt } of page)
        if (modifiedAt < now - KEEP_MS) await bucket.delete(key, tag)
  }

  return {
    async issueCode({ client, redirectUri, challenge, machine }, person) {
      sweepSometimes()
      const id = ids.id('code').slice('code-'.length)
      const secret = newSecret()
      const fields = {
        id,
        client: client.id,
        ...(machine === undefined ? {} : { machine }),
        secret: secretOf(secret),
        expiresAt: clock.now() + CODE_MS,
        redirectUri,
        challenge,
        person: { ...person },
      }
      if ((await codes.create(id, fields)) === undefined) throw refusedGrant()
      return `${id}.${secret}`
    },

    redeemCode: (given) =>
      spend(codes, given.code, given.program, (code) => {
        checkCode(code, given)
        return redeem(code, code.person, clock.now())
      }),

    async startDevice({ client, machine, address }) {
      sweepSometimes()
      const { id: known, mayUseDevices } = clientOf(client)
      if (!mayUseDevices) throw oauthError('unauthorized_client', 'This client cannot use device codes.')
      for (;;) {
        const userCode = newUserCode()
        const id = deviceIdOf(userCode)
        const secret = newSecret()
        const now = clock.now()
        const fields = {
          id,
          client: known,
          ...(machine === undefined ? {} : { machine }),
          secret: secretOf(secret),
          expiresAt: now + DEVICE_MS,
          address,
          requestedAt: now,
          intervalMs: POLL_EVERY_MS,
        }
        // Undefined: another device has this user code.
        if ((await devices.create(id, fields)) !== undefined)
          return {
            deviceCode: `${id}.${secret}`,
            userCode,
            expiresInMs: DEVICE_MS,
            intervalMs: POLL_EVERY_MS,
          }
      }
    },

    async findDevice(typed) {
      const userCode = readUserCode(typed)
      const found = userCode === undefined ? undefined : await devices.find(deviceIdOf(userCode))
      if (found === undefined || !isWaiting(found.value, clock.now())) return undefined
      const { client, machine, address, requestedAt } = found.value
      return { client: clientOf(client), machine, address, requestedAt }
    },

    async decideDevice(typed, person, isAllowed) {
      const userCode = readUserCode(typed)
      if (userCode === undefined || (await devices.find(deviceIdOf(userCode))) === undefined) return false
      const { answer } = await devices.change(deviceIdOf(userCode), (device) =>
        isWaiting(device, clock.now())
          ? { value: { ...device, decision: { isAllowed, person: { ...person } } }, answer: true }
          : { value: device, answer: false },
      )
      return answer
    },

    redeemDevice: ({ client, deviceCode, program }) =>
      spend(devices, deviceCode, program, (device) => poll(device, client, clock.now())),

    async revokeToken(text) {
      const principal = await tokens.check(text)
      if (principal.kind === 'user')
        await tokens.revoke(principal.via.id, { user: principal.id }, { principal })
    },
  }
}

function isWaiting({ decision, expiresAt }: DeviceDocument, now: number): boolean {
  return decision === undefined && now < expiresAt
}

function callerOf({ id, name, session }: GrantPerson): Caller {
  return { principal: { kind: 'user', id, name, groups: [], via: { kind: 'session', id: session } } }
}

function newSecret(): string {
  return randomBytes(32).toString('base64url')
}

function readCode(text: string): { id: string; secret: string } {
  const [, id, secret] = /^([0-9A-Za-z]{16,32})\.([\w-]{43})$/.exec(text) ?? []
  if (id === undefined || secret === undefined) throw refusedGrant()
  return { id, secret }
}

/** Shown in the list of tokens, where people must recognise it. */
function tokenName(program: string, machine: string | undefined): string {
  return machine === undefined ? program : `${program} (${machine})`
}
