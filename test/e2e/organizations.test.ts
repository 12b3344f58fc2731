import { describe, expect, test } from 'vitest'
import { engines } from '../rig/engines.ts'
import { httpBackend, oneResource } from '../rig/hcl.ts'
import { startServer } from '../rig/server.ts'
import { runTaco } from '../rig/taco.ts'
import { workdir } from '../rig/workdir.ts'

describe.each(engines())('$name', (engine) => {
  test('an unchanged checkout works after a rename, and is refused while its organization is deleted', async () => {
    const server = await startServer()
    async function taco(...args: readonly string[]): Promise<string> {
      const { code, output } = await runTaco([...args, '--server', server.url])
      expect(code, output).toBe(0)
      return output
    }
    await taco('org', 'create', 'acme', '--prefix', 'teams/acme/')
    const backend = (org: string) => httpBackend(server.url, 'prod/app', org)
    const code = await workdir(engine, backend('acme') + oneResource('first'))
    await code.must(['init'])
    await code.must(['apply', '-auto-approve'])
    const isUnchanged = async () => (await code.run(['plan', '-detailed-exitcode'])).code === 0

    await taco('org', 'rename', 'acme', 'apex')
    expect(await isUnchanged()).toBe(true)
    await code.must(['apply', '-auto-approve'])
    await code.write('main.tf', backend('apex') + oneResource('first'))
    await code.must(['init', '-reconfigure'])
    expect(await isUnchanged()).toBe(true)
    expect(await taco('org', 'show', 'acme')).toContain('apex')

    await taco('org', 'rm', 'apex', '--yes')
    expect(await taco('org', 'ls')).not.toContain('apex')
    expect(await taco('org', 'ls', '--deleted')).toContain('apex')
    for (const args of [['plan'], ['plan', '-lock=false'], ['apply', '-auto-approve'], ['state', 'list']]) {
      const { code: exit, output } = await code.run(args)
      expect(exit, output).toBe(1)
      expect(output).not.toContain('will be created')
    }
    const { output } = await code.run(['apply', '-auto-approve', '-no-color'])
    expect(output.replaceAll(/[│╷╵\s]+/g, ' ')).toContain('was deleted')

    await taco('org', 'restore', 'apex')
    expect(await isUnchanged()).toBe(true)
  })
})
