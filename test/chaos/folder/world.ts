/** A folder, its users, the answer to each of them, and whether all answers can be true together. */
import { isTacoError } from '../../../src/base/errors.ts'
import { allRules, openFileBucket } from '../../../src/bucket/adapters/file/index.ts'
import { bodyOf } from '../../../src/bucket/body.ts'
import { memoryDisk } from './disk.ts'
import type { Rules } from '../../../src/bucket/adapters/file/index.ts'
import type { Bucket, Tag } from '../../../src/bucket/bucket.ts'
import type { Disk, Gate } from './disk.ts'
import type { Actor } from './explore.ts'

export interface Attempt {
  readonly kind: 'put' | 'delete'
  readonly base: Tag | 'absent'
  readonly baseContent: string | undefined
  readonly content: string | undefined
  readonly startedAt: number
  /** `open` until it is answered; that is what a crash leaves. */
  outcome: 'open' | 'acknowledged' | 'conflict' | 'unknown'
  tag?: Tag
  endedAt: number
}

export interface World {
  readonly disk: Disk
  readonly key: string
  readonly rules: Rules
  readonly attempts: Attempt[]
  readonly seen: {
    readonly tag: Tag | undefined
    readonly content: string | undefined
    readonly startedAt: number
    readonly endedAt: number
  }[]
  readonly outside: { readonly content: string | undefined; readonly at: number }[]
  readonly log: { readonly actor: string; readonly op: string }[]
  /** Buckets with the memory of an earlier look, one per actor. */
  readonly buckets: Map<string, { readonly bucket: Bucket; gate: Gate }>
}

export const OWN_KEY = '.taco/d/x'
export const PLAIN_KEY = 'x.tfstate'
const PLAIN = `/b/${PLAIN_KEY}`
/** The actor that cannot write into the folder. */
export const VISITOR = 'visitor'

export async function makeWorld(options: {
  readonly key: string
  readonly names: readonly string[]
  /** Contents that were there one after the other before any actor begins. */
  readonly before?: readonly string[]
  readonly rules?: Partial<Rules>
}): Promise<World> {
  const start = await prepared(options)
  const world: World = {
    disk: start.disk.copy(),
    key: options.key,
    rules: { ...allRules, ...options.rules },
    attempts: start.attempts.map((attempt) => ({ ...attempt })),
    seen: [...start.seen],
    outside: [],
    log: [],
    buckets: new Map(),
  }
  for (const name of options.names) await (await openIn(world, name)).head(world.key)
  world.log.length = 0
  return world
}

const beginnings = new Map<string, Promise<World>>()

/** Made once and copied for every run. */
function prepared(options: Parameters<typeof makeWorld>[0]): Promise<World> {
  const { key, before = [], rules } = options
  const id = JSON.stringify([key, before, rules])
  let made = beginnings.get(id)
  if (made === undefined) beginnings.set(id, (made = begin()))
  return made

  async function begin(): Promise<World> {
    const world: World = {
      disk: memoryDisk(),
      key,
      rules: { ...allRules, ...rules },
      attempts: [],
      seen: [],
      outside: [],
      log: [],
      buckets: new Map(),
    }
    const bucket = await openIn(world, 'before')
    for (const content of before) await writeOnce(world, bucket, content)
    world.disk.now += 1000
    // What happened before the beginning is older than every step.
    const attempts = world.attempts.map((attempt) => ({ ...attempt, startedAt: -1, endedAt: -1 }))
    return { ...world, attempts, seen: world.seen.map((entry) => ({ ...entry, startedAt: -2, endedAt: -1 })) }
  }
}

async function openIn(world: World, name: string): Promise<Bucket> {
  const entry: { bucket: Bucket; gate: Gate } = {
    bucket: undefined as unknown as Bucket,
    gate: () => Promise.resolve(),
  }
  const number = name === 'before' ? 50 : world.buckets.size
  let count = 0
  const fs = world.disk.fsOps(async (step) => {
    // Steps that no other actor can notice need no turn.
    if (step.reads.length + step.writes.length > 0 && !step.op.includes('/tmp')) await entry.gate(step)
    else if (step.op.startsWith('link')) await entry.gate(step)
    world.log.push({ actor: name, op: step.op })
  })
  // Scattered over all that an id can be, as random ones are: two that are equal would be the test's own fault.
  const nonce = () => (((number * 100_000 + ++count) * 7_368_787) % 10_000_000).toString(16).padStart(12, '0')
  entry.bucket = await openFileBucket({
    root: '/b',
    isReadOnly: name === VISITOR,
    fs,
    nonce,
    rules: world.rules,
  })
  world.buckets.set(name, entry)
  return entry.bucket
}

/** An actor with its own bucket, whose steps the scheduler decides. */
export function actor(
  world: World,
  name: string,
  work: (bucket: Bucket) => Promise<void>,
  crashAt?: number,
): Actor {
  return {
    name,
    ...(crashAt === undefined ? {} : { crashAt }),
    async act(gate) {
      const entry = world.buckets.get(name)
      if (entry === undefined) throw new Error(`no bucket for ${name}`)
      entry.gate = gate
      await work(entry.bucket)
    },
  }
}

export async function look(
  world: World,
  bucket: Bucket,
): Promise<{ tag: Tag | 'absent'; content: string | undefined }> {
  const startedAt = world.log.length
  const found = await bucket.get(world.key)
  const content = found === undefined ? undefined : (await found.bytes()).toString()
  world.seen.push({ tag: found?.tag, content, startedAt, endedAt: world.log.length })
  return { tag: found?.tag ?? 'absent', content }
}

/** Reads, and then checks whether what it read is still current. */
export async function lookTwice(world: World, bucket: Bucket): Promise<void> {
  const { tag, content } = await look(world, bucket)
  if (tag === 'absent') return
  const startedAt = world.log.length
  const again = await bucket.get(world.key, { ifNoneMatch: tag })
  if (again === 'unchanged') world.seen.push({ tag, content, startedAt, endedAt: world.log.length })
  else
    world.seen.push({
      tag: again?.tag,
      content: again === undefined ? undefined : (await again.bytes()).toString(),
      startedAt,
      endedAt: world.log.length,
    })
}

/** Reads, and then checks repeatedly whether what it holds is still current. */
export async function holdOn(world: World, bucket: Bucket): Promise<void> {
  const { tag, content } = await look(world, bucket)
  if (tag === 'absent') return
  const isCurrent = bucket.confirmer?.(world.key, tag)
  for (let i = 0; i < 3; i++) {
    const startedAt = world.log.length
    if ((await isCurrent?.()) === true)
      world.seen.push({ tag, content, startedAt, endedAt: world.log.length })
  }
}

/** Reads, then replaces or creates. */
export async function writeOnce(world: World, bucket: Bucket, content: string): Promise<void> {
  const { tag, content: baseContent } = await look(world, bucket)
  await attempt(world, { kind: 'put', base: tag, baseContent, content }, () =>
    bucket.put(world.key, bodyOf(content), tag),
  )
}

export async function createOnce(world: World, bucket: Bucket, content: string): Promise<void> {
  await attempt(world, { kind: 'put', base: 'absent', baseContent: undefined, content }, () =>
    bucket.put(world.key, bodyOf(content), 'absent'),
  )
}

export async function deleteOnce(world: World, bucket: Bucket): Promise<void> {
  const { tag, content: baseContent } = await look(world, bucket)
  if (tag === 'absent') return
  await attempt(world, { kind: 'delete', base: tag, baseContent, content: undefined }, async () => {
    const answer = await bucket.delete(world.key, tag)
    return answer === 'deleted' ? { kind: 'written' } : { kind: 'conflict' }
  })
}

async function attempt(
  world: World,
  made: Pick<Attempt, 'kind' | 'base' | 'baseContent' | 'content'>,
  act: () => Promise<{ readonly kind: 'written' | 'conflict'; readonly tag?: Tag }>,
): Promise<void> {
  const entry: Attempt = {
    ...made,
    startedAt: world.log.length,
    outcome: 'open',
    endedAt: Number.POSITIVE_INFINITY,
  }
  world.attempts.push(entry)
  try {
    const answer = await act()
    entry.outcome = answer.kind === 'written' ? 'acknowledged' : 'conflict'
    if (answer.tag !== undefined) entry.tag = answer.tag
  } catch (error) {
    if (!isTacoError(error, 'BUCKET_UNAVAILABLE')) throw error
    entry.outcome = 'unknown'
  }
  entry.endedAt = world.log.length
}

/** A program that edits the plain file without regard for us. */
export function outsider(world: World, how: 'in place' | 'by rename' | 'removes', content: string): Actor {
  const writes = [PLAIN, '/b/*']
  return {
    name: 'outsider',
    async act(gate) {
      await gate({ op: `outsider edits ${how}`, reads: [], writes })
      if (how === 'removes') world.disk.names.delete(PLAIN)
      else if (how === 'by rename') world.disk.replace(PLAIN, content)
      else {
        world.disk.truncate(PLAIN)
        await gate({ op: 'outsider goes on', reads: [], writes })
        world.disk.rewrite(PLAIN, content)
      }
      world.outside.push({ content: how === 'removes' ? undefined : content, at: world.log.length })
      world.log.push({ actor: 'outsider', op: 'done' })
    },
  }
}

/** Throws unless everything that was answered and seen fits together, and the folder still works. */
export async function checkWorld(world: World): Promise<void> {
  const bucket = await openIn(world, 'after')
  const end = await look(world, bucket)

  const contents = new Map<string, string | undefined>()
  for (const { tag, content } of [...world.attempts.filter(isAcknowledgedPut), ...world.seen]) {
    if (tag === undefined) continue
    must(
      (contents.get(tag) ?? content) === content,
      `${tag} stood for ${contents.get(tag)} and for ${content}`,
    )
    contents.set(tag, content)
  }

  const whole = [...world.attempts, ...world.outside].map(({ content }) => content)
  const torn = world.outside.length > 0 || world.log.some(({ op }) => op.startsWith('outsider')) ? [''] : []
  for (const { content } of world.seen)
    must(
      content === undefined || torn.includes(content) || whole.includes(content),
      `${content} was never written`,
    )

  checkConditions(world)
  for (const done of world.attempts) {
    checkKept(world, done, end.tag)
    checkForward(world, done)
  }
  checkOutside(world, end.content)

  const answer = await bucket.put(world.key, bodyOf('at the end'), end.tag)
  must(answer.kind === 'written', 'the folder takes no more writes')
}

/** Not `expect`: it runs a million times. */
function must(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(otherwise)
}

function isAcknowledgedPut(attempt: Attempt): boolean {
  return attempt.kind === 'put' && attempt.outcome === 'acknowledged'
}

function mayHaveLanded({ outcome }: Attempt): boolean {
  return outcome !== 'conflict'
}

function checkConditions(world: World): void {
  const winners = new Map<string, number>()
  for (const { base, outcome } of world.attempts) {
    if (outcome === 'acknowledged') winners.set(base, (winners.get(base) ?? 0) + 1)
  }
  const removals = world.attempts.filter(
    (attempt) => attempt.kind === 'delete' && mayHaveLanded(attempt),
  ).length
  const outsideRemovals = world.outside.filter(({ content }) => content === undefined).length
  for (const [base, count] of winners) {
    const allowed = base === 'absent' ? 1 + removals + outsideRemovals : 1
    must(count <= allowed, `${count} won over ${base}`)
  }
}

function checkKept(world: World, done: Attempt, endTag: Tag | 'absent'): void {
  if (done.outcome !== 'acknowledged') return
  const mine = done.kind === 'put' ? done.tag : 'absent'
  const isReplaced =
    world.attempts.some((other) => other !== done && other.base === mine && mayHaveLanded(other)) ||
    world.outside.some(({ at, content }) => content !== undefined && at >= done.startedAt)
  must(endTag === mine || isReplaced, `the acknowledged ${done.kind} of ${done.content} is lost`)
  for (const { tag, startedAt } of world.seen) {
    const isOld = startedAt >= done.endedAt && (tag ?? 'absent') === done.base && done.base !== 'absent'
    must(!isOld, `${done.base} was read after it had been replaced`)
  }
}

/** Once a write was seen, acknowledged or not, no reader sees what it replaced. */
function checkForward(world: World, { kind, base, content }: Attempt): void {
  if (kind !== 'put' || base === 'absent') return
  const firstSeen = Math.min(
    ...world.seen.filter((entry) => entry.content === content).map(({ endedAt }) => endedAt),
  )
  for (const { tag, startedAt } of world.seen)
    must(tag !== base || startedAt < firstSeen, `${base} was read after ${content} had been seen`)
}

/** The last outside edit is there, or a writer built on it, or it fell into the documented window. */
function checkOutside(world: World, end: string | undefined): void {
  const last = world.outside.at(-1)
  if (last?.content === undefined) return
  const isKnown =
    end === last.content ||
    world.attempts.some((attempt) => attempt.baseContent === last.content && mayHaveLanded(attempt))
  must(isKnown || fellIntoTheMoment(world, last.at), `the outside edit ${last.content} is lost`)
}

/** Between a writer's last look at the plain file and the rename that its claim leads to. */
function fellIntoTheMoment(world: World, at: number): boolean {
  return world.log.some(({ actor, op }, when) => {
    if (when < at) return false
    const number = /^rename \S+@(\d+)\^(\S+) /.exec(op)?.[1]
    const isRemoval = op === `unlink ${PLAIN}`
    if ((number === undefined || !op.endsWith(PLAIN)) && !isRemoval) return false
    const claims = world.log.flatMap((entry, i) =>
      i < when &&
      /(?:^link .*|^symlink .*)@\d+$/.test(entry.op) &&
      (isRemoval || entry.op.endsWith(`@${number}`))
        ? [lastLook(world, entry.actor, i)]
        : [],
    )
    return [...claims, lastLook(world, actor, when)].some((look) => look < at)
  })
}

function lastLook(world: World, actor: string, before: number): number {
  return world.log.findLastIndex(
    (entry, i) => i < before && entry.actor === actor && entry.op === `lstat ${PLAIN}`,
  )
}
