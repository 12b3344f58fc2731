import { expect, test } from 'vitest'
import { createTestBrowser, startWebFace } from '../../../../../../test/rig/web-face.ts'
import { systemCaller } from '../../../../../access/index.ts'
import { settingsChange } from '../../../../../projects/index.ts'

const PATH = '/app/default/settings/projects'
const caller = systemCaller('opentaco')
const etagIn = (text: string) => /name="etag" value="([^"]+)"/.exec(text)?.[1] ?? ''

async function cast() {
  const face = await startWebFace()
  const browser = createTestBrowser(face)
  const list = await browser.get(PATH)
  async function create(name: string): Promise<string> {
    const made = await browser.submit(PATH, { name, description: 'for apps', labels: 'team=web\ncritical' })
    expect(made.status).toBe(303)
    return made.location ?? ''
  }
  const idOf = (path: string) => path.split('/').at(-1) ?? ''
  const put = (unit: string, project: string) =>
    face.deps.control.units.create(
      { org: 'default', name: unit, section: settingsChange((now) => ({ ...now, project })) },
      caller,
    )
  return { face, browser, list, create, idOf, put }
}

test('a project is created, changed and deleted; the default project stays', async () => {
  const { face, browser, list, create, idOf } = await cast()
  expect(list.text).toContain('Default Project')

  const path = await create('apps')
  expect((await browser.get(path)).text).toContain('The project apps was created.')
  expect(await face.deps.projects.find('default', idOf(path))).toMatchObject({
    name: 'apps',
    labels: { team: 'web', critical: '' },
  })
  const taken = await browser.submit(PATH, { name: 'Apps', description: 'kept', labels: '' })
  expect(taken.status).toBe(400)
  expect(taken.text).toContain('There is already a project named')
  expect(taken.text).toContain('value="kept"')
  expect((await browser.submit(PATH, { name: '-', labels: '' })).text).toContain(
    'is not a valid project name',
  )
  expect((await browser.submit(PATH, { name: 'x', labels: '=a' })).text).toContain('the form name=value')

  const etag = etagIn((await browser.get(path)).text)
  expect((await browser.submit(path, { name: 'services', description: '', labels: '', etag })).status).toBe(
    303,
  )
  expect((await browser.get(PATH)).text).toContain('services')
  expect((await browser.submit(`${path}/delete`, { confirm: 'apps' })).status).toBe(400)
  expect((await browser.submit(`${path}/delete`, { confirm: 'services' })).location).toBe(PATH)
  expect((await browser.get(path)).status).toBe(404)

  const [first] = await face.deps.projects.list('default')
  const home = `${PATH}/${first?.id}`
  const page = await browser.get(home)
  expect(page.text).not.toContain('Delete this project')
  const renamed = { name: 'Main', description: '', labels: '', etag: etagIn(page.text) }
  expect((await browser.submit(home, renamed)).status).toBe(303)
  expect((await browser.get(PATH)).text).toContain('Main')
})

test('a change that was overtaken saves nothing and shows both versions', async () => {
  const { face, browser, create, idOf } = await cast()
  const path = await create('apps')
  const etag = etagIn((await browser.get(path)).text)
  const theirs = (project: { readonly name: string }) => ({ ...project, description: 'theirs' }) as never
  await face.deps.projects.update('default', idOf(path), theirs, caller)

  const lost = await browser.submit(path, { name: 'mine', description: 'mine', labels: '', etag })
  expect(lost.status).toBe(409)
  expect(lost.text).toContain('<dd>theirs</dd>')
  expect(lost.text).toContain('value="mine"')
  expect(await face.deps.projects.find('default', idOf(path))).toMatchObject({ name: 'apps' })
  const again = { name: 'mine', description: 'mine', labels: '', etag: etagIn(lost.text) }
  expect((await browser.submit(path, again)).status).toBe(303)
})

test('a project shows its units, and is not deleted while it has some', async () => {
  const { browser, create, idOf, put } = await cast()
  const path = await create('apps')
  await put('prod/web', idOf(path))
  await put('prod/base', '')

  const page = await browser.get(path)
  expect(page.text).toContain('prod/web')
  expect(page.text).not.toContain('prod/base')
  expect((await browser.get(`${path}?format=csv`)).text).toMatch(/^unit,resources,changed\r\nprod\/web,/)
  expect((await browser.get(`${PATH}?format=json`)).text).toContain('"name":"apps","units":1')
  const refused = await browser.submit(`${path}/delete`, { confirm: 'apps' })
  expect(refused.status).toBe(400)
  expect(refused.text).toContain('The project still has workspaces.')
  expect((await browser.get(`${PATH}?search=def`)).text).not.toContain(path)
})
