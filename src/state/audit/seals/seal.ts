import { timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import type { KeyRing } from '../../../access/index.ts'
import { sha256Hex } from '../../../base/sha256-hex.ts'
import { openObject } from '../../../bucket/index.ts'

/** The place of a journal object and the SHA-256 of its bytes. */
const Sealed = z.tuple([z.string(), z.string()])

/**
 * What the journal holds of a span of time. Each seal names the hash of the one before it, so none can be changed, left
 * out or put in between without changing all that follow.
 */
export const Seal = openObject({
  v: z.literal(1),
  /** Empty: the journal of the server. */
  org: z.string(),
  /** 1, 2, 3, … It is the key too, so there is one chain however many servers seal. */
  seq: z.number().int().min(1),
  at: z.number(),
  /** The hash of the seal before it; empty for the first. */
  previous: z.string(),
  /** Places from this one on, */
  from: z.string(),
  /** and before this one. */
  to: z.string(),
  /** All journal objects of the span, in order. */
  objects: z.array(Sealed),
  /** Objects of earlier spans that were not there when those were sealed. */
  late: z.array(Sealed),
})
export type Seal = z.infer<typeof Seal>

const Keyed = z.object({ id: z.string(), mac: z.string() })
type Keyed = z.infer<typeof Keyed>

const StoredSeal = openObject({ seal: z.unknown(), hash: z.string(), key: Keyed.optional() })

/** How far the chain goes, in an object of its own: without it, removing the newest seals would not show. */
export const Head = openObject({
  v: z.literal(1),
  seq: z.number().int(),
  hash: z.string(),
  to: z.string(),
  key: Keyed.optional(),
})
export type Head = z.infer<typeof Head>

/** A seal with its hash, which stands for it and for everything before it. */
export interface ReadSeal {
  readonly seal: Seal
  readonly hash: string
  readonly key: Keyed | undefined
}

export type Signer = Pick<KeyRing, 'mac'>

const PURPOSE = 'audit seal'

export function sealText(seal: Seal, signer: Signer | undefined): { text: string; hash: string } {
  const hash = hashOf(seal)
  return { text: JSON.stringify({ seal, hash, ...keyed(hash, signer) }), hash }
}

export function headText(
  { seq, hash, to }: Pick<Head, 'seq' | 'hash' | 'to'>,
  signer: Signer | undefined,
): string {
  const head: Head = { v: 1, seq, hash, to, ...keyed(headData({ seq, hash, to }), signer) }
  return JSON.stringify(head)
}

/** Undefined: it is no seal, or its content does not have its hash. */
export function readSeal(text: string): ReadSeal | undefined {
  const stored = StoredSeal.safeParse(parsed(text)).data
  const seal = Seal.safeParse(stored?.seal).data
  if (stored === undefined || seal === undefined) return undefined
  // Of the content as it is stored, with whatever a newer version added to it.
  const { hash, key } = stored
  return hashOf(stored.seal) === hash ? { seal, hash, key } : undefined
}

export function readHead(text: string): Head | undefined {
  return Head.safeParse(parsed(text)).data
}

/** `plain`: it was made without a key. `unknown`: with one that is not here. */
export type Signature = 'good' | 'bad' | 'plain' | 'unknown'

export function checkSeal({ hash, key }: ReadSeal, signer: Signer | undefined): Signature {
  return checked(hash, key, signer)
}

export function checkHead(head: Head, signer: Signer | undefined): Signature {
  return checked(headData(head), head.key, signer)
}

function checked(data: string, key: Keyed | undefined, signer: Signer | undefined): Signature {
  if (key === undefined) return 'plain'
  if (signer === undefined) return 'unknown'
  let expected: Buffer
  try {
    expected = signer.mac(PURPOSE, data, key.id).mac
  } catch {
    return 'unknown'
  }
  const given = Buffer.from(key.mac, 'base64url')
  return given.length === expected.length && timingSafeEqual(given, expected) ? 'good' : 'bad'
}

function keyed(data: string, signer: Signer | undefined): { readonly key?: Keyed } {
  if (signer === undefined) return {}
  const { keyId, mac } = signer.mac(PURPOSE, data)
  return { key: { id: keyId, mac: mac.toString('base64url') } }
}

function headData({ seq, hash, to }: Pick<Head, 'seq' | 'hash' | 'to'>): string {
  return `head ${seq} ${hash} ${to}`
}

function hashOf(seal: unknown): string {
  return sha256Hex(JSON.stringify(seal))
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
