import { check, fields, flag, list as listOf, maybe, number, text } from '../../api/check-answer.ts'
import { ofWholeServer } from '../../api/client.ts'
import { wholeList } from '../../api/pages.ts'
import type { Session } from '../../session.ts'
import { age, count } from '../../terminal/format.ts'

const person = fields({
  id: text,
  login: text,
  displayName: maybe(text),
  email: maybe(text),
  groups: listOf(text),
  providers: listOf(text),
  createdAt: text,
  signedInAt: maybe(text),
  isSuspended: flag,
})

export async function list(session: Session): Promise<void> {
  const { output, world } = session
  let damaged = 0
  const items = await wholeList(await session.client(), '/v1/people', ofWholeServer, Infinity, (page) => {
    damaged += check(fields({ damaged: number }), page).damaged
  })
  if (damaged > 0) output.warn(`${count(damaged, 'person', 'people')} cannot be read; see \`taco doctor\``)
  if (output.asJson) return output.json({ items, next: null, damaged })
  output.table(
    ['LOGIN', 'NAME', 'E-MAIL', 'PROVIDER', 'SIGNED IN', 'STATUS'],
    items
      .map((item) => check(person, item))
      .map(({ login, displayName, email, providers, signedInAt, isSuspended }) => [
        login,
        displayName ?? '',
        email ?? '',
        [...new Set(providers)].join(', '),
        signedInAt === null ? 'never' : age(signedInAt, world.now()),
        isSuspended ? 'suspended' : 'active',
      ]),
  )
}

export async function show(session: Session, [who = '']: readonly string[]): Promise<void> {
  const { output, world } = session
  const answer = await (await session.client()).json('GET', pathOf(who), { query: ofWholeServer })
  if (output.asJson) return output.json(answer)
  const found = check(person, answer)
  output.facts([
    ['login', found.login],
    ['id', found.id],
    ['name', found.displayName ?? undefined],
    ['e-mail', found.email ?? undefined],
    ['providers', [...new Set(found.providers)].join(', ') || 'none'],
    ['groups', found.groups.join(', ') || 'none'],
    ['created', age(found.createdAt, world.now())],
    ['signed in', found.signedInAt === null ? 'never' : age(found.signedInAt, world.now())],
    ['status', found.isSuspended ? 'suspended' : 'active'],
  ])
}

export async function suspend(session: Session, [who = '']: readonly string[]): Promise<void> {
  const json = { isSuspended: true }
  await change(session, { method: 'PATCH', path: pathOf(who), json }, 'suspended')
}

export async function resume(session: Session, [who = '']: readonly string[]): Promise<void> {
  const json = { isSuspended: false }
  await change(session, { method: 'PATCH', path: pathOf(who), json }, 'resumed')
}

export async function signOut(session: Session, [who = '']: readonly string[]): Promise<void> {
  await change(session, { method: 'POST', path: `${pathOf(who)}/sign-out` }, 'ended all sessions of')
}

async function change(
  session: Session,
  { method, path, json }: { readonly method: string; readonly path: string; readonly json?: object },
  what: string,
): Promise<void> {
  const answer = await (await session.client()).json(method, path, { query: ofWholeServer, json })
  if (session.output.asJson) return session.output.json(answer)
  session.output.say(`${what} ${check(person, answer).login}`)
}

function pathOf(who: string): string {
  return `/v1/people/${encodeURIComponent(who.replace(/^user:/, ''))}`
}
