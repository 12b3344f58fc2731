import { check, fields, flag, list as listOf, maybe, number, text } from '../../api/check-answer.ts'
import { ofWholeServer } from '../../api/client.ts'
import type { Session } from '../../session.ts'
import { age, count } from '../../terminal/format.ts'

const server = fields({
  host: text,
  pid: number,
  version: text,
  url: text,
  startedAt: text,
  seenAt: text,
  isSeen: flag,
  bucketMs: maybe(number),
})
const listAnswer = fields({ items: listOf(server), unreadable: number, problem: maybe(text) })

export async function list(session: Session): Promise<void> {
  const { output, world } = session
  const answer = await (await session.client()).json('GET', '/v1/servers', { query: ofWholeServer })
  const { items, unreadable, problem } = check(listAnswer, answer)
  if (problem !== null) output.warn(`${problem} This is what the server last knew.`)
  if (unreadable > 0) output.warn(`${count(unreadable, 'server')} of a newer version cannot be shown`)
  if (output.asJson) return output.json(answer)
  const now = world.now()
  output.table(
    ['HOST', 'PID', 'VERSION', 'ADDRESS', 'STARTED', 'SEEN', 'BUCKET', 'STATUS'],
    items.map(({ host, pid, version, url, startedAt, seenAt, isSeen, bucketMs }) => [
      host,
      String(pid),
      version,
      url,
      age(startedAt, now),
      age(seenAt, now),
      bucketMs === null ? '' : `${bucketMs} ms`,
      isSeen ? 'running' : 'not seen',
    ]),
  )
}
