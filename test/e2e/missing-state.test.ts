import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { engines } from '../rig/engines.ts'
import { httpBackend, oneResource } from '../rig/hcl.ts'
import { fullS3, removeUnder } from '../rig/s3.ts'
import { startServer, type Server } from '../rig/server.ts'
import { runTaco } from '../rig/taco.ts'
import { eventually } from '../rig/wait.ts'
import { workdir, type Workdir } from '../rig/workdir.ts'

const KEY = 'prod/app/terraform.tfstate'

describe.each(engines())('$name', (engine) => {
  async function applied(server: Server): Promise<Workdir> {
    const code = await workdir(engine, httpBackend(server.url, 'prod/app') + oneResource('one'))
    await code.must(['init'])
    await code.must(['apply', '-auto-approve'])
    return code
  }

  test('plans nothing on a state that was emptied, until it is rolled back', async () => {
    const server = await startServer({ args: ['--auth', 'none', '--look-every', '1s'] })
    const code = await applied(server)
    const taco = (...args: string[]) => runTaco([...args, '--server', server.url])
    await writeFile(join(new URL(server.bucket).pathname, KEY), '')

    const plan = await code.run(['plan', '-no-color'])
    const unlocked = await code.run(['plan', '-no-color', '-lock=false'])
    const status = await taco('status')
    const doctor = await taco('doctor')
    await eventually('the metric to tell', async () =>
      (await (await fetch(`${server.url}/metrics`)).text()).includes('opentaco_states_missing 1'),
    )
    const rolledBack = await taco('state', 'rollback', 'prod/app', 'current', '--yes')

    expect([plan.code, unlocked.code]).toEqual([1, 1])
    expect(plan.output).not.toContain('will be created')
    if (engine.showsHolder) expect(plan.output).toContain('taco state rollback prod/app')
    expect(status.stdout).toContain('state missing')
    expect(doctor).toMatchObject({ code: 7, output: expect.stringContaining('taco state rollback prod/app') })
    expect(rolledBack, rolledBack.output).toMatchObject({ code: 0 })
    expect((await code.run(['plan', '-detailed-exitcode'])).code).toBe(0)
  })

  test('starts over after a person accepted that the state was deleted from the bucket', async (context) => {
    const peer = await fullS3(context)
    const server = await startServer({ bucket: peer.url, env: peer.env })
    const code = await applied(server)
    await removeUnder(peer, KEY)

    const refused = await code.run(['apply', '-auto-approve', '-no-color'])
    const accepted = await runTaco(['state', 'rm', 'prod/app', '--force', '--yes', '--server', server.url])
    await code.must(['apply', '-auto-approve'])

    expect(refused.code).toBe(1)
    expect(refused.output).not.toContain('Creation complete')
    expect(accepted, accepted.output).toMatchObject({ code: 0 })
    expect((await code.run(['plan', '-detailed-exitcode'])).code).toBe(0)
  })

  test('destroys, and its empty state raises no alarm', async () => {
    const server = await startServer()
    const code = await applied(server)
    await code.must(['destroy', '-auto-approve'])
    await writeFile(join(new URL(server.bucket).pathname, KEY), '')

    expect((await code.run(['plan', '-detailed-exitcode'])).code).toBe(2)
  })
})
