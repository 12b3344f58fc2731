import { readCredential, writeCredential } from '../../config/credentials.ts'
import type { Session } from '../../session.ts'
import { EXIT } from '../../terminal/exit-codes.ts'
import { forgetInEngines } from './engine-config.ts'
import { revoke } from './revoke.ts'
import { chosenServer } from './server.ts'

/** The token is deleted here whatever the server says; what is left to do there is reported. */
export async function logout(session: Session, [given]: readonly string[]): Promise<number> {
  const { output, world } = session
  const server = chosenServer(session, given)
  const credential = readCredential(world, server)
  if (credential === undefined) {
    if (output.asJson) output.json({ server, wasSignedIn: false })
    else output.say(`not signed in to ${server}`)
    return EXIT.ok
  }
  const failure = credential.isOwn === true ? await revoke(session, server, credential.token) : undefined
  writeCredential(world, server, undefined)
  const files = forgetInEngines(world, server, credential.token)
  if (output.asJson)
    output.json({ server, wasSignedIn: true, isRevoked: credential.isOwn === true && !failure, files })
  else output.say(`signed out of ${server}`)
  for (const file of files) output.note(`removed the token from ${file}`)
  if (credential.isOwn !== true)
    output.note('the token came from elsewhere, so it was not revoked: it is still valid')
  if (world.env['TACO_TOKEN']) output.warn('TACO_TOKEN is still set, and commands use it')
  if (failure === undefined) return EXIT.ok
  output.warn(
    `the token could not be revoked, so it stays valid until it expires: ${failure}; revoke it on ${server}/account/tokens`,
  )
  return EXIT.failed
}
