import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { certificateFor, type Certificate } from '../rig/certificate.ts'
import { runTaco } from '../rig/taco.ts'
import { tempFolder } from '../rig/temp.ts'

const day = 86_400_000
const yesterday = new Date(Date.now() - day)
const tomorrow = new Date(Date.now() + day)

async function serverWith(certificate: Certificate): Promise<number> {
  const server = createServer(certificate, (_, res) => {
    res.writeHead(200, { 'content-type': 'application/json' })
    res.end(JSON.stringify({ items: [], next: null, damaged: [] }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

async function fileWith({ cert }: Certificate) {
  const cwd = await tempFolder()
  const file = join(cwd, 'ca.pem')
  await writeFile(file, cert)
  return { cwd, file }
}

async function withCaFile(address: string, certificate: Certificate) {
  const { cwd, file } = await fileWith(certificate)
  return runTaco(['org', 'ls', '--server', address, '--ca-file', file], { cwd })
}

/** As a client that knows the certificate and has given it to Node. */
async function asking(address: string, certificate: Certificate) {
  const { cwd, file } = await fileWith(certificate)
  const env = { NODE_EXTRA_CA_CERTS: file }
  return runTaco(['org', 'ls', '--server', address], { cwd, env })
}

test('a certificate that Node does not know is named as that, and let in by NODE_EXTRA_CA_CERTS and by --ca-file', async () => {
  const certificate = certificateFor(['127.0.0.1'], yesterday, tomorrow)
  const address = `https://127.0.0.1:${await serverWith(certificate)}`

  const refused = await runTaco(['org', 'ls', '--server', address], { cwd: await tempFolder() })
  const known = await asking(address, certificate)
  const named = await withCaFile(address, certificate)

  expect(refused).toMatchObject({ code: 6 })
  expect(refused.stderr).toContain('this machine does not trust the issuer of its certificate')
  expect(refused.stderr).toMatch(/hint: .*--ca-file/)
  expect(known, known.output).toMatchObject({ code: 0 })
  expect(named, named.output).toMatchObject({ code: 0 })
})

test('the error for a certificate with another name says which name it has', async () => {
  const certificate = certificateFor(['states.example', '127.0.0.1'], yesterday, tomorrow)

  const refused = await asking(`https://localhost:${await serverWith(certificate)}`, certificate)

  expect(refused).toMatchObject({ code: 6 })
  expect(refused.stderr).toContain('its certificate is not for localhost but for states.example, 127.0.0.1')
})

test.each([
  ['has expired', yesterday, new Date(Date.now() - 1000)],
  ['is not valid yet', tomorrow, new Date(Date.now() + 2 * day)],
])('a certificate that %s says so, and names the clock', async (says, from, until) => {
  const certificate = certificateFor(['127.0.0.1'], from, until)

  const refused = await asking(`https://127.0.0.1:${await serverWith(certificate)}`, certificate)

  expect(refused).toMatchObject({ code: 6 })
  expect(refused.stderr).toContain(says)
  expect(refused.stderr).toMatch(/hint: .*clock/)
})
