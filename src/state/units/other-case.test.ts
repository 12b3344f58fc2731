import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempFolder } from '../../../test/rig/temp.ts'
import { type FsOps, nodeFs, openFileBucket } from '../../bucket/adapters/file/index.ts'
import { foldKey } from '../../bucket/index.ts'
import { alice, findings, openControl, pull, push, stateText, wrong } from '../../../test/support/state.ts'

/** A file system that keeps the case of names and does not tell names apart by it, as on most Macs. */
function foldingFs(root: string): FsOps {
  const fs = nodeFs()
  const found = (path: string): string => {
    if (!path.startsWith(`${root}/`)) return path
    let folder = root
    for (const segment of path.slice(root.length + 1).split('/'))
      folder = join(folder, spelled(folder, segment))
    return folder
  }
  const spelled = (folder: string, segment: string): string => {
    try {
      return readdirSync(folder).find((name) => foldKey(name) === foldKey(segment)) ?? segment
    } catch {
      return segment
    }
  }
  const folded = Object.entries(fs).map(([name, op]: [string, (...args: unknown[]) => unknown]) => [
    name,
    (...args: unknown[]) => op(...args.map((one) => (typeof one === 'string' ? found(one) : one))),
  ])
  return Object.fromEntries(folded) as FsOps
}

async function open(root: string) {
  const bucket = await openFileBucket({ root, fs: foldingFs(root) })
  return { bucket, control: await openControl(bucket) }
}

test('the folder says whether it tells case apart', async () => {
  const root = await tempFolder()
  expect((await openFileBucket({ root })).can.foldsCase).toBe(false)
  // Another folder where case counts, however it is called.
  mkdirSync(join(root, '.TACO'))
  expect((await openFileBucket({ root })).can.foldsCase).toBe(false)

  expect((await open(await tempFolder())).bucket.can.foldsCase).toBe(true)
})

test('a second unit whose name differs only in case is refused, created or used for the first time', async () => {
  const { control } = await open(await tempFolder())
  await push(control, 'prod/app', stateText(1))
  const refusal = { code: 'ALREADY_EXISTS', message: expect.stringContaining('only in case') as string }

  await expect(control.units.create({ org: 'default', name: 'Prod/app' }, alice)).rejects.toMatchObject(
    refusal,
  )
  await expect(push(control, 'Prod/App', stateText(9))).rejects.toMatchObject(refusal)

  expect(await pull(control, 'prod/app')).toBe(stateText(1))
  expect(wrong(await findings(control))).toEqual([])
})

test('two keys that differ only in case are not given to two units', async () => {
  const { control } = await open(await tempFolder())
  await control.units.create({ org: 'default', name: 'a', key: 'states/one.tfstate' }, alice)

  const creation = control.units.create({ org: 'default', name: 'b', key: 'States/One.tfstate' }, alice)

  await expect(creation).rejects.toMatchObject({ code: 'ALREADY_EXISTS', facts: { field: 'key', unit: 'a' } })
})

test('a unit can be given its own name in another case, and is found by it', async () => {
  const root = await tempFolder()
  const { control } = await open(root)
  await push(control, 'prod/app', stateText(1))

  await control.units.rename({ org: 'default', unit: 'prod/app' }, 'Prod/App', alice)

  const fresh = (await open(root)).control
  expect(await pull(fresh, 'Prod/App')).toBe(stateText(1))
  expect(wrong(await findings(fresh))).toEqual([])
})

test('where case counts, both names and both keys are had', async () => {
  const control = await openControl(await openFileBucket({ root: await tempFolder() }))

  await push(control, 'prod/app', stateText(1))
  await push(control, 'Prod/app', stateText(2))

  expect(await pull(control, 'prod/app')).toBe(stateText(1))
  expect(await pull(control, 'Prod/app')).toBe(stateText(2))
})

test.each(['.Taco/x', '.TACO/x', '.taco./x', '.tac\u200bo/x', '.taco /x'])(
  'no state is kept at %j, which is .taco on some file systems',
  async (key) => {
    const root = await tempFolder()
    writeFileSync(join(root, 'beside'), '')
    const bucket = await openFileBucket({ root })
    const control = await openControl(bucket)

    const creation = control.units.create({ org: 'default', name: 'a', key: `${key}.tfstate` }, alice)

    await expect(creation).rejects.toMatchObject({ code: 'BAD_REQUEST' })
    await expect(bucket.get(key)).rejects.toMatchObject({ code: 'BAD_REQUEST' })
  },
)
