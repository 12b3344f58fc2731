import { check, fields, list as listOf, maybe, text } from '../../api/check-answer.ts'
import { ofWholeServer } from '../../api/client.ts'
import type { Session } from '../../session.ts'
import { age } from '../../terminal/format.ts'
import { subjectOf } from '../access/shared.ts'

const settingsAnswer = fields({
  administrators: listOf(text),
  orgCreators: text,
  rootTokenOff: maybe(fields({ at: text, by: text })),
})

interface SettingsFlags {
  readonly orgCreators?: string
  readonly rootToken?: 'on' | 'off'
}

/** Without an option, shows them. */
export async function settings(
  session: Session,
  _: readonly string[],
  { orgCreators, rootToken }: SettingsFlags,
): Promise<void> {
  const json = {
    ...(orgCreators === undefined ? {} : { orgCreators }),
    ...(rootToken === undefined ? {} : { isRootTokenOff: rootToken === 'off' }),
  }
  const isChange = Object.keys(json).length > 0
  const client = await session.client()
  showSettings(
    session,
    await client.json(isChange ? 'PATCH' : 'GET', '/v1/server/settings', {
      query: ofWholeServer,
      ...(isChange ? { json } : {}),
    }),
  )
}

export async function addAdmin(session: Session, [who = '']: readonly string[]): Promise<void> {
  await changeAdmin(session, 'PUT', who)
}

export async function removeAdmin(session: Session, [who = '']: readonly string[]): Promise<void> {
  await changeAdmin(session, 'DELETE', who)
}

async function changeAdmin(session: Session, method: 'PUT' | 'DELETE', who: string): Promise<void> {
  const path = `/v1/server/administrators/${encodeURIComponent(subjectOf(who))}`
  showSettings(session, await (await session.client()).json(method, path, { query: ofWholeServer }))
}

function showSettings({ output, world }: Session, answer: unknown): void {
  if (output.asJson) return output.json(answer)
  const { administrators, orgCreators, rootTokenOff: off } = check(settingsAnswer, answer)
  output.facts([
    ['administrators', administrators.join(', ') || 'none but the root token'],
    ['organizations are created by', orgCreators],
    ['root token', off === null ? 'on' : `off since ${age(off.at, world.now())}, by ${off.by}`],
  ])
}
