import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type TestWorld, sendJson, testServer, testWorld } from '../support/cli.ts'

const locksInTable = `terraform {
  backend "s3" {
    bucket         = "states"
    key            = "shop/terraform.tfstate"
    dynamodb_table = "locks"
  }
}
`
const locksInBucket = locksInTable.replace('dynamodb_table = "locks"', 'use_lockfile   = true')
const both = locksInTable.replace('dynamodb_table', 'use_lockfile   = true\n    dynamodb_table')

/** A repository, and a server whose bucket is of that kind. */
async function repository(files: Readonly<Record<string, string>>, { kind = 's3', folder = '.' } = {}) {
  const server = await testServer(({ url }, res) =>
    sendJson(
      res,
      url.startsWith('/v1/server')
        ? { version: '1', bucket: { kind, label: '' }, auth: 'none', time: '' }
        : { summary: { adopted: 0, wouldAdopt: 0, alreadyAdopted: 0, skipped: 0, warnings: ['take care'] } },
    ),
  )
  onTestFinished(server.close)
  const root = testWorld()
  onTestFinished(root.dispose)
  for (const [name, text] of Object.entries(files)) {
    const path = join(root.cwd, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  const cwd = join(root.cwd, folder)
  mkdirSync(cwd, { recursive: true })
  const world: TestWorld = testWorld({ cwd, repository: () => import('../../src/wire/repository.ts') })
  onTestFinished(world.dispose)
  return {
    world,
    adopt: (...args: readonly string[]) => world.run('--server', server.url, 'adopt', ...args),
    isAsked: () => server.heard.some(({ url }) => url.startsWith('/v1/adopt')),
  }
}

test('adopt refuses code that locks in DynamoDB alone, naming every line, before anything is done', async () => {
  const { world, adopt, isAsked } = await repository(
    { '.git/HEAD': '', 'shop/backend.tf': locksInTable, 'app/backend.tf': locksInTable, 'x/b.tf': both },
    { folder: 'shop' },
  )

  expect(await adopt()).toBe(4)
  expect(world.err()).toContain('error: backend.tf:5: backend "s3" locks in DynamoDB')
  expect(world.err()).toContain('error: ../app/backend.tf:5: backend "s3" locks in DynamoDB')
  expect(world.err()).toContain('replace dynamodb_table with use_lockfile = true')
  expect(world.err()).toContain('warning: ../x/b.tf:6: backend "s3" compares the state with a digest')
  expect(world.err()).toContain('--despite-dynamodb')
  expect(isAsked()).toBe(false)
})

test('with --json the refusal lists the lines', async () => {
  const { world, adopt } = await repository({ 'backend.tf': locksInTable })

  expect(await adopt('--json')).toBe(4)
  expect(JSON.parse(world.err())).toMatchObject({
    error: { code: 'CONFLICT', faults: [{ file: 'backend.tf', line: 5, trouble: 'lock' }] },
  })
})

test.each([['--despite-dynamodb'], ['--dry-run']])('adopt %s warns and continues', async (flag) => {
  const { world, adopt, isAsked } = await repository({ 'backend.tf': locksInTable })

  expect(await adopt(flag)).toBe(0)
  expect(world.err()).toContain('warning: backend.tf:5: backend "s3" locks in DynamoDB')
  expect(isAsked()).toBe(true)
})

test('code that locks in the bucket, and any code beside another kind of bucket, is not a reason to refuse', async () => {
  const fine = await repository({ 'backend.tf': locksInBucket })
  const folder = await repository({ 'backend.tf': locksInTable }, { kind: 'file' })

  expect([await fine.adopt(), await folder.adopt()]).toEqual([0, 0])
  expect(fine.world.err()).toBe('warning: take care\nno state was found in the bucket\n')
  expect(folder.world.err()).not.toContain('DynamoDB')
})

test('a folder without code is not searched; --code names one', async () => {
  const files = { 'infra/backend.tf': locksInTable }
  const beside = await repository(files)
  const named = await repository(files)
  const wrong = await repository(files)

  expect(await beside.adopt()).toBe(0)
  expect(beside.world.err()).toContain('name its folder with --code')
  expect(await named.adopt('--code', 'infra')).toBe(4)
  expect(named.world.err()).toContain('infra/backend.tf:5')
  expect(await wrong.adopt('--code', 'nowhere')).toBe(2)
})

test('scan mentions it', async () => {
  const { world } = await repository({ 'shop/backend.tf': locksInTable })

  expect(await world.run('scan')).toBe(0)
  expect(world.err()).toContain('warning: shop/backend.tf:5: backend "s3" locks in DynamoDB')
})
