import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openFileBucket } from '../../bucket/adapters/file/index.ts'
import { alice, findings, named, openControl, pull, push, stateText } from '../../../test/support/state.ts'

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'taco-place-'))
})
afterEach(() => rm(root, { recursive: true }))

const open = async () => openControl(await openFileBucket({ root }))

test('a unit whose state would lie inside the state of another is refused before anything is written', async () => {
  const control = await open()
  await control.units.create({ org: 'default', name: 'deep', key: 'x/terraform.tfstate/deep' }, alice)
  await push(control, 'deep', stateText(1))

  await expect(push(control, 'x', stateText(1))).rejects.toMatchObject({ code: 'BAD_REQUEST' })

  await expect(control.units.get(named('x'), alice)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  expect(await pull(control, 'deep')).toBe(stateText(1))
})

test('two units that are made first and collide later: the second write is refused, and nothing is left locked', async () => {
  const control = await open()
  await control.units.create({ org: 'default', name: 'a', key: 'x/y' }, alice)
  await control.units.create({ org: 'default', name: 'b', key: 'x/y/z' }, alice)
  await push(control, 'b', stateText(1))

  await expect(push(control, 'a', stateText(1))).rejects.toMatchObject({ code: 'BAD_REQUEST' })

  expect(await control.units.get(named('a'), alice)).toMatchObject({ state: null, lock: null })
  await control.units.remove(named('a'), { force: true }, alice)
})

test('a state below a file is refused too', async () => {
  const control = await open()
  await writeFile(join(root, 'x'), 'something')

  await expect(push(control, 'x', stateText(1))).rejects.toMatchObject({ code: 'BAD_REQUEST' })
})

test('a committed write whose place became a folder: doctor says so, goes on, and gives it up on repair', async () => {
  const bucket = await openFileBucket({ root })
  let isBlocked = true
  const blocked = new Proxy(bucket, {
    get(target, name, receiver) {
      if (name !== 'put' || !isBlocked) return Reflect.get(target, name, receiver) as unknown
      return async (...[key, ...rest]: Parameters<typeof bucket.put>) => {
        if (key === 'x/terraform.tfstate') {
          await mkdir(join(root, key), { recursive: true })
          await writeFile(join(root, key, 'file'), 'in the way')
        }
        return target.put(key, ...rest)
      }
    },
  })
  const control = await openControl(blocked)
  await push(control, 'z', stateText(1))
  await expect(push(control, 'x', stateText(1))).rejects.toMatchObject({ code: 'BUCKET_REFUSED' })
  isBlocked = false

  const found = await findings(control)
  expect(found).toContainEqual(expect.objectContaining({ unit: 'x', level: 'error', check: 'unit.place' }))
  expect(found).toContainEqual(expect.objectContaining({ check: 'units' }))
  await findings(control, { repair: true })

  await control.locks.forceUnlock(named('x'), {}, alice)
  expect((await control.versions.list(named('x'), { limit: 5 }, alice)).items).toMatchObject([
    { status: 'superseded' },
  ])
  await control.units.remove(named('x'), { force: true }, alice)
})
