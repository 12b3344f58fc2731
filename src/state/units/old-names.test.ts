import { expect, test } from 'vitest'
import { openMemoryBucket } from '../../bucket/adapters/memory.ts'
import type { Bucket } from '../../bucket/index.ts'
import {
  alice,
  lose,
  named,
  openControl,
  overwrite,
  pull,
  push,
  stateText,
} from '../../../test/support/state.ts'

const nameClaim = (name: string) => `.taco/orgs/default/names/${name}.json`

async function rewrite(bucket: Bucket, from: string, to = from): Promise<void> {
  const text = String(await bucket.get(from).then((found) => found?.bytes()))
  await overwrite(bucket, to, text.replaceAll('"name":"x_tfstate"', '"name":"x.tfstate"'))
}

/** A bucket with the unit x.tfstate, from when names like that were given. */
async function oldBucket(): Promise<Bucket> {
  const bucket = openMemoryBucket()
  const control = await openControl(bucket)
  await push(control, 'x_tfstate', stateText(1))
  const { id } = await control.units.get(named('x_tfstate'), alice)
  await rewrite(bucket, `.taco/orgs/default/units/${id}.json`)
  await rewrite(bucket, nameClaim('x_tfstate'), nameClaim('x.tfstate'))
  await lose(bucket, nameClaim('x_tfstate'))
  return bucket
}

test('a unit whose name would be refused today is read, written, deleted and brought back by it', async () => {
  const bucket = await oldBucket()

  expect(await pull(await openControl(bucket), 'x.tfstate')).toBe(stateText(1))
  // A server that has not heard of the unit yet must not take the write for one that makes it.
  const control = await openControl(bucket)
  await push(control, 'x.tfstate', stateText(2))
  await control.units.remove(named('x.tfstate'), { force: true }, alice)
  expect(await control.units.restore(named('x.tfstate'), {}, alice)).toMatchObject({ name: 'x.tfstate' })
  expect(await pull(control, 'x.tfstate')).toBe(stateText(2))
  expect(await control.units.rename(named('x.tfstate'), 'x', alice)).toMatchObject({ name: 'x' })
})

test('no unit is given such a name', async () => {
  const control = await openControl(await oldBucket())
  const refusal = {
    code: 'BAD_REQUEST',
    message: expect.stringContaining('ends like a state file') as string,
  }

  await expect(push(control, 'y.tfstate', stateText(1))).rejects.toMatchObject(refusal)
  const create = (name: string) => control.units.create({ org: 'default', name }, alice)
  await expect(create('y.tfstate')).rejects.toMatchObject(refusal)
  await expect(create('x.tfstate')).rejects.toMatchObject({ code: 'ALREADY_EXISTS' })
  await expect(control.units.rename(named('x.tfstate'), 'y.tfstate', alice)).rejects.toMatchObject(refusal)
  await expect(control.units.get(named('y.tfstate'), alice)).rejects.toMatchObject({ code: 'NOT_FOUND' })
})
