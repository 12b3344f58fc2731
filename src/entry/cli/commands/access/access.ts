import { check, fields, flag, list, maybe, number, text } from '../../api/check-answer.ts'
import { ofWholeServer } from '../../api/client.ts'
import type { Session } from '../../session.ts'
import { EXIT } from '../../terminal/exit-codes.ts'
import { fileOf, pathIn } from './shared.ts'

const explained = fields({ allowed: flag, lines: list(text) })
const tested = fields({
  items: list(
    fields({
      line: number,
      who: text,
      action: text,
      unit: maybe(text),
      expected: text,
      isMet: flag,
      lines: list(text),
    }),
  ),
  failed: number,
})

export async function explain(
  session: Session,
  [who = '', action = '', unit]: readonly string[],
  { exitCode }: { readonly exitCode?: boolean },
): Promise<number> {
  const { output } = session
  const query = { ...ofWholeServer, who, action, ...(unit === undefined ? {} : { unit }) }
  const answer = await (await session.client()).json('GET', pathIn(session, 'access', 'explain'), { query })
  const { allowed, lines } = check(explained, answer)
  if (output.asJson) output.json(answer)
  else output.data(lines.map((line, i) => `${i === 0 ? '' : '  '}${line}\n`).join(''))
  return exitCode === true && !allowed ? EXIT.found : EXIT.ok
}

export async function test(session: Session, [file = '']: readonly string[]): Promise<number> {
  const { output } = session
  const json = await fileOf(session, file)
  const answer = await (
    await session.client()
  ).json('POST', pathIn(session, 'access', 'test'), { query: ofWholeServer, json })
  const { items, failed } = check(tested, answer)
  if (output.asJson) output.json(answer)
  else {
    for (const { line, expected, lines, isMet } of items)
      if (!isMet) output.data([`${json.path}:${line}: expected ${expected}`, ...lines].join('\n  ') + '\n')
    output.note(`${items.length - failed} of ${items.length} expectations met`)
  }
  return failed > 0 ? EXIT.failed : EXIT.ok
}
