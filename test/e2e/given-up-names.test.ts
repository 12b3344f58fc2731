import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { engines } from '../rig/engines.ts'
import { httpBackend, oneResource } from '../rig/hcl.ts'
import { startServer, type Server } from '../rig/server.ts'
import { runTaco } from '../rig/taco.ts'
import { workdir, type Workdir } from '../rig/workdir.ts'

const Units = z.looseObject({ items: z.array(z.looseObject({ name: z.string() })) })

async function namesAt({ url }: Server): Promise<string[]> {
  const { items } = Units.parse(await (await fetch(`${url}/v1/units`)).json())
  return items.map(({ name }) => name)
}

async function mustTaco(server: Server, ...args: readonly string[]): Promise<string> {
  const { code, output } = await runTaco([...args, '--server', server.url])
  expect(code, output).toBe(0)
  return output
}

/** Without what engines put around the lines of a message, and where they break them. */
async function refusal(code: Workdir, args: readonly string[]): Promise<string> {
  const { code: exit, output } = await code.run([...args, '-no-color'])
  expect(exit, output).toBe(1)
  return output.replaceAll(/[│╷╵\s]+/g, ' ')
}

describe.each(engines())('$name', (engine) => {
  test('an unchanged checkout of a renamed unit is refused, learns the new name, and creates nothing', async () => {
    const server = await startServer()
    const code = await workdir(engine, httpBackend(server.url, 'prod/app') + oneResource('first'))
    await code.must(['init'])
    await code.must(['apply', '-auto-approve'])
    await mustTaco(server, 'unit', 'rename', 'prod/app', 'prod/app2')

    for (const args of [['apply', '-auto-approve'], ['plan']]) {
      const said = await refusal(code, args)
      expect(said).toContain('The unit prod/app was renamed to prod/app2.')
      expect(said).toContain('taco backend prod/app2')
    }
    await refusal(code, ['plan', '-lock=false'])
    expect(await namesAt(server)).toEqual(['prod/app2'])

    await code.write('main.tf', httpBackend(server.url, 'prod/app2') + oneResource('first'))
    await code.must(['init', '-reconfigure'])
    expect((await code.run(['plan', '-detailed-exitcode'])).code).toBe(0)
  })

  test('after `unit rm` the next apply is refused until a person decides', async () => {
    const server = await startServer()
    const code = await workdir(engine, httpBackend(server.url, 'prod/app') + oneResource('first'))
    await code.must(['init'])
    await code.must(['apply', '-auto-approve'])
    await mustTaco(server, 'unit', 'rm', 'prod/app', '--force', '--yes')

    expect(await refusal(code, ['apply', '-auto-approve'])).toContain('taco unit create prod/app')
    expect(await namesAt(server)).toEqual([])

    await mustTaco(server, 'unit', 'create', 'prod/app')
    await code.must(['apply', '-auto-approve'])
    await mustTaco(server, 'unit', 'rm', 'prod/app', '--force', '--yes')
    const listed = await mustTaco(server, 'unit', 'ls', '--deleted')
    const ids = listed.match(/ws-\w+/g) ?? []
    expect(ids).toHaveLength(2)
    const several = await runTaco(['unit', 'restore', 'prod/app', '--server', server.url])
    expect(several.code, several.output).toBe(2)
    for (const id of ids) expect(several.output).toContain(id)
    await mustTaco(server, 'unit', 'restore', ids[0] ?? '')
    expect((await code.run(['plan', '-detailed-exitcode'])).code).toBe(0)
  })
})
