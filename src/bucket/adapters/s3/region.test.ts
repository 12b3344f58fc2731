import { mkdtempSync, rmSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openS3Bucket } from './bucket.ts'
import { regionOf } from './region.ts'

function home(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'taco-region-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, '.aws'))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, '.aws', name), text)
  return folder
}

const config = `# made by hand
[default]
region = eu-west-1   ; near
output = json

[profile prod]
s3 =
  region = not-this-one
region=eu-central-1

[profile "with space"]
region = ap-south-1
[services prod]
region = not-this-one-either
[prod]
region = nor-this
`

test.each([
  ['nothing at all', {}, 'us-east-1'],
  ['AWS_REGION before all else', { AWS_REGION: 'a', AWS_DEFAULT_REGION: 'b', AWS_PROFILE: 'prod' }, 'a'],
  ['AWS_DEFAULT_REGION before the files', { AWS_REGION: '', AWS_DEFAULT_REGION: 'b' }, 'b'],
])('the region comes from %s', (_, env, region) => {
  const files = Object.keys(env).length === 0 ? {} : { config }

  expect(regionOf({ HOME: home(files), ...env })).toBe(region)
})

test.each([
  [undefined, 'eu-west-1'],
  ['default', 'eu-west-1'],
  ['prod', 'eu-central-1'],
  ['with space', 'ap-south-1'],
  ['unknown', 'us-east-1'],
])('the region of the profile %s is in the config file', (AWS_PROFILE, region) => {
  expect(regionOf({ HOME: home({ config }), AWS_PROFILE })).toBe(region)
})

test('a region beside the keys of the profile wins, and both files may be elsewhere', () => {
  const folder = home({ keys: '[prod]\naws_access_key_id = x\nregion = sa-east-1\r\n', settings: config })
  const AWS_CONFIG_FILE = join(folder, '.aws/settings')
  const AWS_SHARED_CREDENTIALS_FILE = join(folder, '.aws/keys')

  expect(regionOf({ AWS_CONFIG_FILE, AWS_SHARED_CREDENTIALS_FILE, AWS_PROFILE: 'prod' })).toBe('sa-east-1')
  expect(regionOf({ AWS_CONFIG_FILE, AWS_SHARED_CREDENTIALS_FILE })).toBe('eu-west-1')
})

test('a bucket without a region in its address signs for that of the profile', async () => {
  const signed: unknown[] = []
  const server = createServer((request, answer) => {
    signed.push(request.headers.authorization)
    answer.writeHead(404, { 'x-amz-request-id': '1' }).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const env = { HOME: home({ config }), AWS_ACCESS_KEY_ID: 'x', AWS_SECRET_ACCESS_KEY: 'y' }
  const bucket = openS3Bucket({ bucket: 'states', endpoint: `http://127.0.0.1:${port}`, env })

  expect(await bucket.head('a')).toBeUndefined()

  expect(signed).toEqual([expect.stringContaining('/eu-west-1/s3/aws4_request')])
  await bucket.close()
  server.close()
})
