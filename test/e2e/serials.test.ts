import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { engines } from '../rig/engines.ts'
import { httpBackend, oneResource } from '../rig/hcl.ts'
import { startServer } from '../rig/server.ts'
import { runTaco } from '../rig/taco.ts'
import { workdir } from '../rig/workdir.ts'

describe.each(engines())('$name', (engine) => {
  test('refuses a stale saved plan after garbage was rolled back', async () => {
    const server = await startServer()
    const block = httpBackend(server.url, 'prod/app')
    const code = await workdir(engine, block + oneResource('1'))
    const taco = (...args: string[]) => runTaco([...args, '--server', server.url])
    const current = async () => {
      const answer = await fetch(`${server.url}/v1/backend/default/prod/app`)
      return (await answer.json()) as { serial: number }
    }
    await code.must(['init'])
    await code.must(['apply', '-auto-approve'])
    const { serial: first } = await current()
    await code.write('main.tf', block + oneResource('2'))
    await code.must(['apply', '-auto-approve'])
    const { serial: planned } = await current()
    await code.write('main.tf', block + oneResource('from the stale plan'))
    await code.must(['plan', '-out=stale.plan'])
    await code.write('main.tf', block + oneResource('3'))
    await code.must(['apply', '-auto-approve'])
    const { serial: newest } = await current()
    // As many rollbacks as it would take to return to the plan's serial, if serials started over.
    await writeFile(join(new URL(server.bucket).pathname, 'prod/app/terraform.tfstate'), 'garbage')
    for (let serial = first; serial < planned; serial++) {
      const rolledBack = await taco('state', 'rollback', 'prod/app', '1', '--yes')
      expect(rolledBack, rolledBack.output).toMatchObject({ code: 0 })
    }

    const stale = await code.run(['apply', '-no-color', 'stale.plan'])

    expect((await current()).serial).toBeGreaterThan(newest)
    expect(stale.code).toBe(1)
    expect(stale.output).toContain('Saved plan is stale')
    expect((await code.must(['output', '-raw', 'value'])).stdout).toBe('1')
  })
})
