import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { S3Peer } from '../peers/s3.ts'
import { engines, type Engine } from '../rig/engines.ts'
import { httpBackend, oneResource, waitingResource } from '../rig/hcl.ts'
import { fullS3, s3Backend } from '../rig/s3.ts'
import { startServer } from '../rig/server.ts'
import { runTaco } from '../rig/taco.ts'
import { eventually } from '../rig/wait.ts'
import { workdir, type Workdir } from '../rig/workdir.ts'

const Versions = z.looseObject({ items: z.array(z.looseObject({ how: z.string(), serial: z.number() })) })
const Units = z.looseObject({ items: z.array(z.looseObject({ name: z.string() })) })

/** A bucket after years of `backend "s3"` with workspaces. */
async function usedBucket(engine: Engine, peer: S3Peer): Promise<Workdir> {
  const code = await workdir(
    engine,
    s3Backend(peer, 'shop/terraform.tfstate') + oneResource('${terraform.workspace}'),
    peer.env,
  )
  await code.must(['init'])
  await code.must(['apply', '-auto-approve'])
  for (const workspace of ['staging', 'prod']) {
    await code.must(['workspace', 'new', workspace])
    await code.must(['apply', '-auto-approve'])
  }
  return code
}

describe.each(engines().filter(({ locksInBucket }) => locksInBucket))(
  'a bucket written by the own backend of $name',
  (engine) => {
    test('is adopted without a byte of it being touched, and again without adopting twice', async (context) => {
      const peer = await fullS3(context)
      const code = await usedBucket(engine, peer)
      const before = (await code.must(['state', 'pull'])).stdout
      const taco = (...args: string[]) =>
        runTaco([...args, '--bucket', peer.url], { cwd: code.folder, env: peer.env })

      const shown = await taco('adopt', '--dry-run', '--json')
      const empty = await taco('unit', 'ls', '--json')
      const adopted = await taco('adopt')
      const again = await taco('adopt', '--json')
      const units = Units.parse(JSON.parse((await taco('unit', 'ls', '--json')).stdout))

      expect([shown.code, adopted.code, again.code]).toEqual([0, 0, 0])
      expect(Units.parse(JSON.parse(empty.stdout)).items).toEqual([])
      expect(units.items).toHaveLength(3)
      expect((await code.must(['state', 'pull'])).stdout).toBe(before)
      expect((await code.run(['plan', '-detailed-exitcode'])).code).toBe(0)
    })

    test('is not adopted while code beside it locks in DynamoDB', async (context) => {
      const peer = await fullS3(context)
      const code = await usedBucket(engine, peer)
      const taco = (...args: string[]) =>
        runTaco([...args, '--bucket', peer.url], { cwd: code.folder, env: peer.env })
      const changed = s3Backend(peer, 'shop/terraform.tfstate').replace(
        /use_lockfile .*/,
        'dynamodb_table = "locks"',
      )
      await code.write('main.tf', changed)

      const refused = await taco('adopt')
      const none = Units.parse(JSON.parse((await taco('unit', 'ls', '--json')).stdout))
      await code.write('main.tf', s3Backend(peer, 'shop/terraform.tfstate'))
      const adopted = await taco('adopt', '--json')

      expect(refused).toMatchObject({
        code: 4,
        stderr: expect.stringContaining('main.tf:9: backend "s3" locks'),
      })
      expect(none.items).toEqual([])
      expect(adopted.code).toBe(0)
      expect(JSON.parse(adopted.stdout.trim().split('\n').at(-1) ?? '')).toMatchObject({
        summary: { adopted: 3, warnings: [expect.stringContaining('use_lockfile = true')] },
      })
    })

    test('is written through us and around us, at once and in turn, and neither loses a write', async (context) => {
      const peer = await fullS3(context)
      const around = await usedBucket(engine, peer)
      const server = await startServer({ bucket: peer.url, env: peer.env })
      const taco = (...args: string[]) => runTaco([...args, '--server', server.url], { cwd: around.folder })
      expect(await taco('adopt')).toMatchObject({ code: 0 })
      const names = Units.parse(JSON.parse((await taco('unit', 'ls', '--json')).stdout)).items.map(
        ({ name }) => name,
      )
      const unit = names.find((name) => name.includes('staging')) ?? 'no unit for staging'
      const other = names.find((name) => name.includes('prod')) ?? 'no unit for prod'

      // At once, on different units: one through us, one around us.
      const through = await workdir(engine, httpBackend(server.url, unit) + oneResource('through us'))
      await through.must(['init'])
      await around.must(['workspace', 'select', 'prod'])
      await around.write('main.tf', s3Backend(peer, 'shop/terraform.tfstate') + oneResource('around us'))
      const both = await Promise.all([
        through.run(['apply', '-auto-approve']),
        around.run(['apply', '-auto-approve']),
      ])
      expect(both.map(({ code }) => code)).toEqual([0, 0])
      expect((await through.must(['output', '-raw', 'value'])).stdout).toBe('through us')
      expect((await around.must(['output', '-raw', 'value'])).stdout).toBe('around us')

      // In turn, on the same unit: each continues from what the other left.
      const turn = await workdir(engine, httpBackend(server.url, other) + oneResource('through us in turn'))
      await turn.must(['init'])
      await turn.must(['apply', '-auto-approve'])
      expect((await around.must(['output', '-raw', 'value'])).stdout).toBe('through us in turn')
      await around.must(['apply', '-auto-approve'])
      expect((await turn.must(['output', '-raw', 'value'])).stdout).toBe('around us')
      await turn.must(['apply', '-auto-approve'])

      // Nothing is missing in the history, and outside writes are credited to no one here.
      const { items } = Versions.parse(JSON.parse((await taco('state', 'versions', other, '--json')).stdout))
      expect(items.map(({ how }) => how)).toEqual(['backend', 'outside', 'backend', 'outside', 'outside'])
      expect(items.map(({ serial }) => serial)).toEqual(
        items.map(({ serial }) => serial).toSorted((a, b) => b - a),
      )
    })

    test('shares its locks with us, both ways', async (context) => {
      const peer = await fullS3(context)
      const server = await startServer({ bucket: peer.url, env: peer.env })
      const around = await workdir(engine, s3Backend(peer, 'prod/app/terraform.tfstate'), peer.env)
      const through = await workdir(engine, httpBackend(server.url, 'prod/app'))
      await around.must(['init'])
      await through.must(['init'])

      for (const [holder, other] of [
        [around, through],
        [through, around],
      ] as const) {
        const [started, go] = [join(holder.folder, 'started'), join(holder.folder, 'go')]
        await holder.write('work.tf', waitingResource(started, go))
        await other.write('work.tf', oneResource('second'))
        const held = holder.start(['apply', '-auto-approve'])
        await eventually('the holder to be under way', () => existsSync(started))

        const refused = await other.run(['apply', '-auto-approve', '-no-color'])

        await writeFile(go, '')
        expect(refused.code).toBe(1)
        expect(refused.output).toContain('Error acquiring the state lock')
        expect(refused.output).toMatch(/Who:\s+\S+@\S+/)
        expect(await held.finished).toMatchObject({ code: 0 })
        await other.must(['apply', '-auto-approve'])
      }
    })
  },
)
