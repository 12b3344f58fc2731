import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { engines } from '../rig/engines.ts'
import { httpBackend, oneResource } from '../rig/hcl.ts'
import { fullS3, keysIn, removeUnder, s3Backend } from '../rig/s3.ts'
import { startServer } from '../rig/server.ts'
import { tempFolder } from '../rig/temp.ts'
import { workdir } from '../rig/workdir.ts'

describe.each(engines())('after OpenTaco is gone, $name', (engine) => {
  test('continues with the local backend on the folder', async () => {
    const folder = await tempFolder()
    const server = await startServer({ bucket: `file://${folder}` })
    const code = await workdir(engine, httpBackend(server.url, 'prod/app') + oneResource('kept'))
    await code.must(['init'])
    await code.must(['apply', '-auto-approve'])
    expect(await server.stop()).toBe(0)
    await rm(join(folder, '.taco'), { recursive: true })

    const path = join(folder, 'prod/app/terraform.tfstate')
    const plain = await workdir(
      engine,
      `terraform {\n  backend "local" {\n    path = "${path}"\n  }\n}\n${oneResource('kept')}`,
    )
    await plain.must(['init'])

    expect((await plain.run(['plan', '-detailed-exitcode'])).code).toBe(0)
    expect(await filesIn(folder)).toEqual(['prod/app/terraform.tfstate'])
  })
})

describe.each(engines().filter(({ locksInBucket }) => locksInBucket))(
  'after OpenTaco is gone, $name',
  (engine) => {
    test('continues with its own S3 backend on the bucket', async (context) => {
      const peer = await fullS3(context)
      const server = await startServer({ bucket: peer.url, env: peer.env })
      const code = await workdir(engine, httpBackend(server.url, 'prod/app') + oneResource('kept'))
      await code.must(['init'])
      await code.must(['apply', '-auto-approve'])
      expect(await server.stop()).toBe(0)
      expect(await removeUnder(peer, '.taco/')).toBeGreaterThan(0)
      expect(await keysIn(peer)).toEqual(['prod/app/terraform.tfstate'])

      const plain = await workdir(
        engine,
        s3Backend(peer, 'prod/app/terraform.tfstate') + oneResource('kept'),
        peer.env,
      )
      await plain.must(['init'])

      expect((await plain.run(['plan', '-detailed-exitcode'])).code).toBe(0)
      await plain.must(['apply', '-auto-approve'])
    })
  },
)

async function filesIn(folder: string): Promise<readonly string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true })
  return found
    .filter((file) => file.isFile())
    .map((file) => join(file.parentPath, file.name).slice(folder.length + 1))
}
