import { expect, test } from 'vitest'
import { publishBoth, chunksOf } from '../../../../../test/rig/registry-world.ts'
import { type Person, startSsoFace } from '../../../../../test/rig/sso-face.ts'
import { createTestBrowser } from '../../../../../test/rig/web-face.ts'
import { archiveOf } from '../../../../../test/support/archives.ts'
import { createSigningKey } from '../../../../../test/support/open-pgp.ts'
import { bind } from '../../../../access/index.ts'

const PATH = '/app/default/registry'
const NETWORK = {
  'README.md':
    '# Network\n\nMakes a **network**. And more.\n\n<img src=x onerror=alert(1)> [evil](javascript:alert) [logs](./modules/logs)\n',
  'main.tf': 'variable "cidr" {\n  type = string\n}\noutput "id" {\n  value = 1\n}\n',
  'modules/logs/main.tf': 'variable "days" {}\n',
}

async function cast() {
  const face = await startSsoFace()
  const [olga, rita] = [await face.person('olga'), await face.person('rita')]
  await face.policy('default', (policy) => {
    const owned = bind(policy, { role: 'owner', to: `user:${olga.id}` })
    return bind(owned, { role: 'reader', to: `user:${rita.id}` })
  })
  async function browse(person: Person) {
    const browser = createTestBrowser(face)
    const { cookie = '' } = await face.session(person)
    browser.cookies.set('taco', cookie.replace('taco=', ''))
    await browser.get('/account/tokens')
    return browser
  }
  const { publish } = face.deps.registry
  const publishModule = (
    version: string,
    files: Readonly<Record<string, string>> = NETWORK,
    name = 'network',
  ) => {
    const archive = archiveOf(Object.entries(files).map(([path, content]) => ({ path, content })))
    return publish.module(
      'default',
      { name, provider: 'aws', version },
      { stream: chunksOf(archive) },
      face.setUp,
    )
  }
  return { face, owner: await browse(olga), reader: await browse(rita), publishModule }
}

test('modules are listed, searched and exported, and none is nothing to be afraid of', async () => {
  const { owner, reader, publishModule } = await cast()
  expect((await owner.get(PATH)).text).toContain('No modules yet')

  await publishModule('1.0.0')
  await publishModule('1.1.0')
  await publishModule('2.0.0-rc1')
  await publishModule('0.1.0', { 'main.tf': '' }, 'dns')
  const page = await reader.get(PATH)
  expect(page.text).toContain('href="/app/default/registry/modules/network/aws"')
  expect(page.text).toContain('Makes a network.')
  // A pre-release is not what people should use.
  expect(page.text).toContain('>1.1.0<')
  expect(page.text).not.toContain('2.0.0-rc1')

  expect((await reader.get(`${PATH}?search=NETWORK+makes`)).text).not.toContain('modules/dns/aws')
  expect((await reader.get(`${PATH}?search=nothing`)).text).toContain('No module matches.')
  expect((await reader.get(`${PATH}?provider=google`)).text).toContain('No module matches.')
  const csv = await reader.get(`${PATH}?format=csv&sort=-module`)
  expect(csv.text.split('\r\n').map((line) => line.split(',').slice(0, 3).join())).toEqual([
    'module,newest,versions',
    'network/aws,1.1.0,3',
    'dns/aws,0.1.0,1',
    '',
  ])
})

/** As a browser sends a form with a file. */
function multipart(fields: Readonly<Record<string, string>>, file?: Buffer) {
  const mark = '----WebKitFormBoundary7MA4YWxkTrZu0gW'
  const part = (head: string, content: string | Buffer) => [
    `--${mark}\r\nContent-Disposition: form-data; ${head}\r\n\r\n`,
    content,
    '\r\n',
  ]
  const parts = [
    ...Object.entries(fields).flatMap(([name, value]) => part(`name="${name}"`, value)),
    ...part(`name="file"; filename="${file === undefined ? '' : 'm.tar.gz'}"`, file ?? ''),
    `--${mark}--\r\n`,
  ]
  return {
    headers: { 'content-type': `multipart/form-data; boundary=${mark}` },
    body: Buffer.concat(parts.map((one) => Buffer.from(one))),
  }
}

test('a module is published from a form with its archive', async () => {
  const { face, owner, reader } = await cast()
  const path = `${PATH}/publish`
  const archive = archiveOf([{ path: 'main.tf', content: 'variable "size" {}' }])
  const wanted = { name: 'disk', provider: 'aws', version: '1.0.0' }
  async function send(fields: Readonly<Record<string, string>>, file?: Buffer, by = owner) {
    const page = await by.get(by === owner ? path : PATH)
    const csrf = /name="csrf" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
    const { headers, body } = multipart({ csrf, ...fields }, file)
    const cookie = [...by.cookies].map((pair) => pair.join('=')).join('; ')
    return face.send(path, { method: 'POST', headers: { ...headers, cookie, accept: 'text/html' }, body })
  }

  expect((await reader.get(path)).status).toBe(403)
  expect((await send(wanted, archive, reader)).status).toBe(403)
  expect((await send({ ...wanted, csrf: 'x' }, archive)).status).toBe(403)
  const none = await send(wanted)
  expect([none.status, none.text.includes('Choose the archive')]).toEqual([400, true])
  expect(none.text).toContain('value="disk"')
  for (const [fields, file, said] of [
    [{ ...wanted, version: 'v1' }, archive, 'is not a version number'],
    [{ ...wanted, provider: 'A W S' }, archive, 'cannot be the provider'],
    [wanted, Buffer.from('no archive'), 'not compressed with gzip'],
    [wanted, archiveOf([{ path: '../x', content: '' }]), 'is outside'],
  ] as const) {
    const refused = await send(fields, file)
    expect([refused.status, refused.text.includes(said)]).toEqual([400, true])
  }
  // Nothing is left of what was refused.
  expect((await owner.get(PATH)).text).toContain('No modules yet')

  const done = await send(wanted, archive)
  expect([done.status, done.headers.location]).toEqual([303, `${PATH}/modules/disk/aws?version=1.0.0`])
  expect((await reader.get(`${PATH}/modules/disk/aws?tab=inputs`)).text).toContain('size')
  expect((await send(wanted, archive)).status).toBe(303)
  const other = await send(wanted, archiveOf([{ path: 'a.tf', content: '' }]))
  expect([other.status, other.text.includes('another archive already')]).toEqual([400, true])
})

test('a module shows its README, which does nothing, what it takes and gives, and the block to paste', async () => {
  const { reader, publishModule } = await cast()
  await publishModule('1.0.0')
  const path = `${PATH}/modules/network/aws`

  const page = await reader.get(path)
  expect(page.text).toContain('Makes a <strong>network</strong>.')
  expect(page.text).not.toContain('<img')
  expect(page.text).not.toContain('javascript:')
  expect(page.text).toContain(`href="${path}?part=modules%2Flogs"`)
  expect(page.text).toContain('source  = &quot;localhost:7000/default/network/aws&quot;')
  expect(page.text).toContain('# cidr = string')
  expect(page.text).not.toContain(`${path}/delete`)

  expect((await reader.get(`${path}?tab=inputs`)).text).toContain('required')
  expect((await reader.get(`${path}?tab=inputs&format=json`)).json()).toEqual([
    { name: 'cidr', type: 'string', default: null, description: '', required: true, sensitive: false },
  ])
  const logs = await reader.get(`${path}?part=modules/logs&tab=inputs`)
  expect(logs.text).toContain('days')
  expect(logs.text).toContain('network/aws//modules/logs')
  expect((await reader.get(`${path}?version=9.9.9`)).status).toBe(404)
  expect((await reader.get(`${path}?part=../x`)).status).toBe(404)
  expect((await reader.get(`${PATH}/modules/none/aws`)).status).toBe(404)
})

test('code that cannot be read is published, and the page says what is missing', async () => {
  const { reader, publishModule } = await cast()
  await publishModule('1.0.0', { 'main.tf': 'variable "x" {' })

  const page = await reader.get(`${PATH}/modules/network/aws`)
  expect(page.text).toContain('main.tf, line 1')
  expect(page.text).toContain('There is no README.')
})

test('a version whose metadata is missing or damaged is read from its archive', async () => {
  const { face, reader, publishModule } = await cast()
  await publishModule('1.0.0')
  const path = `${PATH}/modules/network/aws`
  const { modules } = face.deps.registry
  const [one] = await modules.catalog('default')
  const [version] = one?.versions ?? []
  if (one === undefined || version === undefined) throw new Error('nothing was published')

  const { metadata: _, ...old } = version
  const reread = await modules.metadata('default', one.module.id, old)
  expect(reread).toEqual(await modules.metadata('default', one.module.id, version))
  expect(reread?.root.inputs.map(({ name }) => name)).toEqual(['cidr'])

  const gone = { ...version, metadata: { ...version.archive, object: 'nothing' } } as typeof version
  expect(await modules.metadata('default', one.module.id, gone)).toEqual(reread)
  const both = { ...gone, archive: { ...gone.metadata, sha256: '0'.repeat(64) } } as typeof version
  expect((await modules.metadata('default', one.module.id, both))?.faults).toEqual([
    expect.stringContaining('The archive cannot be read'),
  ])
  expect((await reader.get(`${path}?tab=inputs`)).text).toContain('cidr')
})

test('settings for using a module without code are shown', async () => {
  const { face, reader, publishModule } = await cast()
  await publishModule('1.0.0')
  const { modules, noCode } = face.deps.registry
  const { id: module } = await modules.get('default', { name: 'network', provider: 'aws' })
  const options = { id: 'o', name: 'region', type: 'string', options: ['eu-central-1', '<b>'] }
  const fields = { module, enabled: true, versionPin: '1.0.0', variableOptions: [options] }
  await noCode.create({ org: 'default' }, fields, face.setUp)

  const { text } = await reader.get(`${PATH}/modules/network/aws`)
  expect(text).toContain('Use without code')
  expect(text).toContain('eu-central-1, &lt;b&gt;')
})

test('a version and a module are deleted when their name was typed, by those who may publish', async () => {
  const { owner, reader, publishModule } = await cast()
  await publishModule('1.0.0')
  await publishModule('1.1.0')
  const path = `${PATH}/modules/network/aws`

  expect((await reader.submit(`${path}/delete`, { confirm: 'network/aws' })).status).toBe(403)
  const wrong = await owner.submit(`${path}/versions/1.0.0/delete`, { confirm: '1.1.0' })
  expect([wrong.status, wrong.text.includes('This does not match.')]).toEqual([400, true])
  expect((await owner.get(`${path}?version=1.0.0`)).status).toBe(200)
  const gone = await owner.submit(`${path}/versions/1.0.0/delete`, { confirm: '1.0.0' })
  expect([gone.status, gone.location]).toEqual([303, `${path}?tab=versions`])
  expect((await owner.get(`${path}?version=1.0.0`)).status).toBe(404)

  expect((await owner.submit(`${path}/delete`, { confirm: '' })).status).toBe(400)
  expect((await owner.submit(`${path}/delete`, { confirm: 'network/aws' })).location).toBe(PATH)
  expect((await owner.get(PATH)).text).toContain('The module network/aws was deleted.')
  expect((await owner.get(path)).status).toBe(404)
})

test('a version is deprecated with a reason, which everyone sees, and that is taken back', async () => {
  const { face, owner, reader, publishModule } = await cast()
  await publishModule('1.0.0')
  const path = `${PATH}/modules/network/aws`
  const form = `${path}/versions/1.0.0/deprecation`

  expect((await reader.submit(form, { reason: 'Use 2.0.0.' })).status).toBe(403)
  const empty = await owner.submit(form, { reason: ' ', link: 'https://x.example' })
  expect([empty.status, empty.text.includes('The reason is missing.')]).toEqual([400, true])
  expect(empty.text).toContain('value="https://x.example"')
  const script = await owner.submit(form, { reason: 'old', link: 'javascript:alert(1)' })
  expect([script.status, script.text.includes('not the address of a website')]).toEqual([400, true])

  const done = await owner.submit(form, { reason: 'Use\n2.0.0.', link: 'https://x.example/why' })
  expect([done.status, done.location]).toEqual([303, `${path}?version=1.0.0`])
  const seen = await reader.get(path)
  expect(seen.text).toContain('Version 1.0.0 is deprecated: Use 2.0.0.')
  expect(seen.text).toContain('href="https://x.example/why"')
  expect((await reader.get(PATH)).text).toContain('>deprecated</span>')
  // When it was published does not change.
  const [first] = await face.deps.registry.modules.catalog('default')
  expect(first?.versions[0]?.publishedAt).toBeLessThanOrEqual(first?.versions[0]?.deprecation?.at ?? 0)

  // A person with the old page open changes nothing, and sees both versions.
  const late = await owner.submit(form, { reason: 'Use 3.0.0.', before: '' })
  expect([late.status, late.text.includes('value="Use 3.0.0."'), late.text.includes('Use 2.0.0.')]).toEqual([
    409,
    true,
    true,
  ])
  const before = 'Use 2.0.0.\r\nhttps://x.example/why'
  expect((await owner.submit(form, { end: 'yes', before: 'else' })).status).toBe(409)
  expect((await owner.submit(form, { end: 'yes', before })).status).toBe(303)
  expect((await reader.get(path)).text).not.toContain('is deprecated')
})

test('a provider shows its platforms, checksums and key, and is deleted', async () => {
  const { face, owner, reader } = await cast()
  const { name, shasum, key } = await publishBoth(face)
  const path = `${PATH}/providers/${name}`

  expect((await reader.get(`${PATH}/providers?search=${name}`)).text).toContain('linux_amd64')
  const page = await reader.get(path)
  for (const said of ['linux_amd64', shasum, key.keyId, `localhost:7000/default/${name}`])
    expect(page.text).toContain(said)
  expect((await reader.get(`${path}?format=csv`)).text).toContain(`1.0.0,linux_amd64`)
  expect((await reader.submit(`${path}/delete`, { confirm: name })).status).toBe(403)
  expect((await owner.submit(`${path}/versions/1.0.0/delete`, { confirm: 'x' })).status).toBe(400)
  expect((await owner.submit(`${path}/versions/1.0.0/delete`, { confirm: '1.0.0' })).status).toBe(303)
  expect((await owner.get(path)).text).toContain('No version yet')
  expect((await owner.submit(`${path}/delete`, { confirm: name })).status).toBe(303)
  expect((await owner.get(path)).status).toBe(404)
})

test('keys are added and deleted; a private key is refused and not shown again', async () => {
  const { owner, reader } = await cast()
  const { keyId, asciiArmor } = createSigningKey()
  const path = `${PATH}/keys`

  const secret = asciiArmor.replaceAll('PUBLIC', 'PRIVATE')
  const refused = await owner.submit(path, { armor: secret })
  expect([refused.status, refused.text.includes('It is a private key.')]).toEqual([400, true])
  expect(refused.text).not.toContain('BEGIN PGP PRIVATE')
  const nonsense = await owner.submit(path, { armor: 'my key' })
  expect([nonsense.status, nonsense.text.includes('my key</textarea>')]).toEqual([400, true])

  expect((await reader.submit(path, { armor: asciiArmor })).status).toBe(403)
  const added = await owner.submit(path, { armor: asciiArmor.replaceAll('\n', '\r\n') })
  expect([added.status, added.location]).toEqual([303, path])
  expect((await reader.get(path)).text).toContain(keyId)
  expect((await owner.submit(`${path}/${keyId}/delete`, { confirm: 'x' })).status).toBe(400)
  expect((await owner.submit(`${path}/${keyId}/delete`, { confirm: keyId })).status).toBe(303)
  expect((await reader.get(path)).text).toContain('No keys yet')
})

test('the mirror page says how to use the mirror, or that there is none', async () => {
  const { reader } = await cast()
  expect((await reader.get(`${PATH}/mirror`)).text).toContain('This server mirrors no providers')
})
