import { check, fields, list, maybe, record, text } from '../api/check-answer.ts'
import { type Client, ofWholeServer, unitPath } from '../api/client.ts'
import { type Session, openSession } from '../session.ts'
import type { CommandSpec } from '../spec/spec.ts'
import type { World } from '../world.ts'
import { type Value, expectedAt } from './position.ts'

/** A person is waiting with a finger on the Tab key. */
const MOST_MS = 2_000
const MOST_CANDIDATES = 200
/** A candidate lands on a command line: nothing in it may mean something to a shell. */
const HARMLESS = /^[\p{L}\p{N}._/:=@%+,-]+$/u

const FILES: ReadonlySet<string> = new Set(['file', 'path', 'folder', 'address'])

/** `taco __complete -- words…`, for the shells: candidates for the last word, or nothing at all. */
export async function complete(program: CommandSpec, words: readonly string[], world: World): Promise<void> {
  const expected = expectedAt(program, words)
  if (expected === undefined) return
  if (expected.kind === 'words') {
    const lines = expected.words.map(({ word, says }) => `${word}\t${says}\n`)
    world.stdout.write(lines.join(''))
  } else if (FILES.has(expected.of)) world.stdout.write(':files\n')
  else {
    const found = await stored(expected.of, expected.value, world)
    const fit = [...new Set(found)].filter(
      (word) => HARMLESS.test(word) && word.startsWith(expected.value.typed),
    )
    world.stdout.write(
      fit
        .slice(0, MOST_CANDIDATES)
        .map((word) => `${expected.value.before}${word}\t\n`)
        .join(''),
    )
  }
}

/** Asks the server or the bucket in use. A failure, or a long wait, is no candidate and no message. */
async function stored(of: string, value: Value, world: World): Promise<readonly string[]> {
  const stop = new AbortController()
  const timer = setTimeout(() => stop.abort(), MOST_MS)
  const session = openSession({
    world,
    flags: { ...value.flags, quiet: true },
    signal: stop.signal,
    makesBucket: false,
    // Nothing is written by looking.
    isDryRun: true,
    goOnUntilInterrupted() {},
  })
  const late = new Promise<readonly string[]>((resolve) =>
    stop.signal.addEventListener('abort', () => resolve([])),
  )
  try {
    return await Promise.race([candidates(session, of, value), late])
  } catch {
    return []
  } finally {
    clearTimeout(timer)
    await Promise.race([session.close().catch(() => {}), late])
  }
}

const named = fields({ items: list(fields({ name: text })) })
const ids = fields({ items: list(fields({ id: text })) })
const logins = fields({ items: list(fields({ login: text })) })
const labelled = fields({ items: list(fields({ labels: record(text) })) })
const commits = fields({ items: list(fields({ outputs: maybe(list(fields({ name: text }))) })) })

async function candidates(session: Session, of: string, value: Value): Promise<readonly string[]> {
  const { typed, operands } = value
  if (of === 'unit' || of === 'prefix') return unitNames(session, typed)
  if (of === 'unit[:outputs]') {
    const colon = typed.indexOf(':')
    return colon === -1 ? unitNames(session, typed) : outputsOf(session, typed.slice(0, colon), typed)
  }
  if (of === 'names') return outputsOf(session, operands[0] ?? '', typed)
  const client = await session.client()
  const ask = (path: string, query = {}) => client.json('GET', path, { query, signal: session.signal })
  if (of === 'org') {
    const { items } = check(named, await ask('/v1/orgs', ofWholeServer))
    return items.map(({ name }) => name)
  }
  if (of === 'team' || of === 'role') {
    const { items } = check(
      named,
      await ask(`/v1/orgs/${encodeURIComponent(session.org())}/${of}s`, ofWholeServer),
    )
    return items.map(({ name }) => name)
  }
  if (of === 'provider') {
    const { items } = check(ids, await ask('/v1/providers', ofWholeServer))
    return items.map(({ id }) => id)
  }
  if (of === 'person') {
    const { items } = check(logins, await ask('/v1/people', { ...ofWholeServer, limit: 1000 }))
    return items.map(({ login }) => login)
  }
  if (of === 'rollout') {
    const { items } = check(ids, await ask('/v1/rollouts', { limit: 100 }))
    return items.map(({ id }) => id)
  }
  if (of === 'key=value') {
    const { items } = check(labelled, await ask('/v1/units', { limit: 1000 }))
    return items.flatMap(({ labels }) => Object.entries(labels).map((label) => label.join('=')))
  }
  return []
}

async function unitNames(session: Session, prefix: string): Promise<readonly string[]> {
  const client: Client = await session.client()
  const query = { prefix: prefix === '' ? undefined : prefix, limit: MOST_CANDIDATES }
  const { items } = check(named, await client.json('GET', '/v1/units', { query, signal: session.signal }))
  return items.map(({ name }) => name)
}

/** The names of outputs, never their values. `typed` is a list with commas, perhaps behind a unit and a colon. */
async function outputsOf(session: Session, unit: string, typed: string): Promise<readonly string[]> {
  const client = await session.client()
  const answer = await client.json('GET', unitPath(unit, '/outputs/log'), {
    query: { limit: 1 },
    signal: session.signal,
  })
  const before = /^(.*[:,])?/.exec(typed)?.[0] ?? ''
  const { items } = check(commits, answer)
  return (items[0]?.outputs ?? []).map(({ name }) => before + name)
}
