import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished } from 'vitest'
import type { SignInServer } from './sign-in-server.ts'
import { personalToken } from './sign-in-server.ts'

/** Answers every request with 200, as a webhook does. */
export async function startReceiver(): Promise<string> {
  const receiver = createServer((_, answer) => answer.end('{}'))
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void receiver.close())
  return `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`
}

/** The token of a person who administers the server. */
export async function administratorToken(server: SignInServer, login: string): Promise<string> {
  const token = await personalToken(server, login)
  const answer = await fetch(`${server.url}/v1/server/administrators/user:${login}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${server.rootToken}`, 'content-type': 'application/json' },
  })
  expect(answer.status).toBe(200)
  return token
}

/** What a CLI configuration says so that engines and providers use plain http: otherwise they insist on TLS. */
export function hostBlock(url: string): string {
  const { host } = new URL(url)
  const services = ['tfe.v2', 'tfe.v2.1', 'tfe.v2.2', 'state.v2']
  const lines = services.map((id) => `    "${id}" = "${url}/api/v2/"`)
  return `host "${host}" {\n  services = {\n${lines.join('\n')}\n  }\n}\n`
}
