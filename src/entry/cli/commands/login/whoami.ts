import { usageError } from '../../terminal/exit-codes.ts'
import type { Session } from '../../session.ts'
import { askWho } from './who.ts'

export async function whoami(
  session: Session,
  _args: readonly string[],
  options: { readonly token?: boolean },
): Promise<void> {
  const { output } = session
  if (options.token === true) {
    const token = session.token()
    if (token === undefined) throw usageError('There is no token for this server.', 'Run `taco login`.')
    return output.data(`${token}\n`)
  }
  const { raw, who } = await askWho(await session.client())
  if (output.asJson) return output.json(raw)
  const { principal, name, email, token, orgs } = who
  output.facts([
    ['you are', principal],
    ['name', name ?? undefined],
    ['e-mail', email ?? undefined],
    ['through', token === null ? undefined : `the token "${token.name}"`],
    ['expires', token?.expiresAt ?? (token === null ? undefined : 'never')],
    ['server', session.target().address],
  ])
  if (orgs === null || orgs.length === 0) return
  output.print('\n')
  output.table(
    ['ORGANIZATION', 'ROLES'],
    orgs.map(({ org, roles }) => [org, roles.join(', ')]),
  )
}
