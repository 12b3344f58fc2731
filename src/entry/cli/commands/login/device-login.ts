import { systemClock } from '../../../../base/clock.ts'
import { TacoError } from '../../../../base/errors.ts'
import { oneLine } from '../../../../base/text/terminal-text.ts'
import { check, fields, maybe, number, text } from '../../api/check-answer.ts'
import { type Client, ofWholeServer, textOf } from '../../api/client.ts'
import type { Session } from '../../session.ts'
import { isAway } from '../../terminal/exit-codes.ts'
import { denied } from './browser-login.ts'
import { CLIENT_ID, requestToken } from './token-request.ts'

const deviceAnswer = fields({
  device_code: text,
  user_code: text,
  verification_uri: text,
  expires_in: number,
  interval: maybe(number),
})

/** RFC 8628: the person types a code into a browser elsewhere. */
export async function deviceLogin(session: Session, client: Client, machine: string): Promise<string> {
  const { output, world, signal } = session
  const form = { client_id: CLIENT_ID, machine }
  const reply = await client.send('POST', '/oauth/device', { form, query: ofWholeServer, signal })
  const device = check(deviceAnswer, JSON.parse(await textOf(reply)))
  const [code, page] = [oneLine(device.user_code), oneLine(device.verification_uri)]
  world.stderr.write(`Open this page in any browser, and type the code ${code}:\n\n  ${page}\n\n`)
  output.note('Waiting for your answer there. Press Ctrl-C to give up.')
  const until = world.now() + device.expires_in * 1000
  let everyMs = (device.interval ?? 5) * 1000
  while (world.now() < until) {
    await systemClock.sleep(everyMs, signal)
    try {
      const grant_type = 'urn:ietf:params:oauth:grant-type:device_code'
      return await requestToken(client, { grant_type, device_code: device.device_code }, signal)
    } catch (error) {
      const says = error instanceof TacoError ? error.facts['oauth'] : undefined
      if (says === 'access_denied') throw denied()
      if (says === 'expired_token') break
      if (says === 'slow_down') everyMs += 5000
      else if (says !== 'authorization_pending' && !isAway(error)) throw error
    }
  }
  throw new TacoError('CANCELLED', 'The code has expired.', {
    hint: 'Run `taco login --device` again.',
    facts: { exitCode: 1 },
  })
}
