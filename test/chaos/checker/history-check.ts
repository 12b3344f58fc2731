import { alice } from '../../support/caller.ts'
import type { StateControl } from '../../../src/state/index.ts'
import type { Call } from './load.ts'
import { hashOf } from './world.ts'

/**
 * Do all answers form one history? Locks never overlap; every acknowledged write is in the history exactly once, with
 * its bytes; and a write answered before another was sent comes before it.
 */
export async function checkHistories(server: StateControl, calls: readonly Call[]): Promise<number> {
  const units = new Set(calls.map(({ unit }) => unit))
  let checked = 0
  for (const unit of units) {
    const own = calls.filter((call) => call.unit === unit)
    checkLocks(unit, own)
    checked += await checkWrites(server, unit, own)
  }
  return checked
}

function checkLocks(unit: string, calls: readonly Call[]): void {
  const holds = calls
    .filter(({ kind }) => kind === 'lock')
    .map(({ lock, answeredAt }) => ({
      lock,
      from: answeredAt,
      to: calls.find((call) => call.kind === 'unlock' && call.lock === lock)?.sentAt ?? Infinity,
    }))
    .sort((a, b) => a.from - b.from)
  holds.forEach((hold, i) => {
    const before = holds[i - 1]
    if (before !== undefined && before.to > hold.from)
      throw new Error(`${unit}: ${before.lock} was held until ${before.to}, ${hold.lock} since ${hold.from}`)
  })
}

async function checkWrites(server: StateControl, unit: string, calls: readonly Call[]): Promise<number> {
  const history = await wholeHistory(server, unit)
  const seqs = new Map(history.map(({ id, seq }) => [id, seq]))
  if (seqs.size !== history.length) throw new Error(`${unit}: a version is in the history twice`)
  history.forEach(({ seq }, i) => {
    if (seq !== history.length - i) throw new Error(`${unit}: the history has a hole at ${seq}`)
  })
  const writes = calls.filter(({ kind }) => kind === 'write').sort((a, b) => a.sentAt - b.sentAt)
  for (const { version = '', text = '' } of writes) {
    const same = history.filter(({ sha256 }) => sha256 === hashOf(text))
    if (same.length !== 1 || same[0]?.id !== version)
      throw new Error(`${unit}: the acknowledged write ${version} is in the history ${same.length} times`)
    if (same[0].how !== 'backend') throw new Error(`${unit}: ${version} is taken for ${same[0].how}`)
    await (await server.versions.read({ org: 'default', unit }, version, alice)).dispose()
  }
  // Answered before the other was sent, so it comes first.
  const byAnswer = writes.toSorted((a, b) => a.answeredAt - b.answeredAt)
  let answered = 0
  let newest = 0
  for (const { sentAt, version = '' } of writes) {
    for (
      let next = byAnswer[answered];
      next !== undefined && next.answeredAt < sentAt;
      next = byAnswer[++answered]
    )
      newest = Math.max(newest, seqs.get(next.version ?? '') ?? 0)
    if ((seqs.get(version) ?? 0) <= newest)
      throw new Error(
        `${unit}: ${version} was sent after version ${newest} was answered, and comes before it`,
      )
  }
  return writes.length
}

async function wholeHistory(server: StateControl, unit: string) {
  const items = []
  let cursor: string | undefined
  do {
    const page = await server.versions.list(
      { org: 'default', unit },
      { limit: 200, ...(cursor === undefined ? {} : { cursor }) },
      alice,
    )
    items.push(...page.items)
    cursor = page.next
  } while (cursor !== undefined)
  return items
}
