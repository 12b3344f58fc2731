import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test, type TestContext } from 'vitest'
import { z } from 'zod'
import { azureStore, gcsStore, type DirectStore } from '../rig/direct.ts'
import { engines, type Engine } from '../rig/engines.ts'
import { httpBackend, oneResource, waitingResource } from '../rig/hcl.ts'
import { startServer } from '../rig/server.ts'
import { runTaco } from '../rig/taco.ts'
import { eventually } from '../rig/wait.ts'
import { workdir } from '../rig/workdir.ts'

const stores = [
  { backend: 'gcs', open: gcsStore },
  { backend: 'azurerm', open: azureStore },
]
const cases = engines().flatMap((engine) => stores.map((store) => ({ engine, ...store, name: engine.name })))

const Versions = z.looseObject({ items: z.array(z.looseObject({ how: z.string(), serial: z.number() })) })
const State = z.looseObject({ serial: z.number() })

/** One state that the engine made by its own backend, adopted, and a way to it through a server. */
async function shared(
  context: TestContext,
  engine: Engine,
  open: (context: TestContext) => Promise<DirectStore>,
) {
  const store = await open(context)
  const backend = store.backend('prod/app')
  const around = { backend, ...(await workdir(engine, backend + oneResource('first'), store.engineEnv)) }
  await around.must(['init'])
  await around.must(['apply', '-auto-approve'])
  const server = await startServer({ bucket: store.url, env: store.env })
  const taco = (...args: string[]) => runTaco([...args, '--server', server.url], { cwd: around.folder })
  expect(await taco('adopt')).toMatchObject({ code: 0 })
  const http = httpBackend(server.url, 'prod/app')
  const through = { backend: http, ...(await workdir(engine, http + oneResource('first'))) }
  await through.must(['init'])
  expect((await through.must(['output', '-raw', 'value'])).stdout).toBe('first')
  return { around, through, taco }
}

/**
 * Waits for the lock and applies. The azurerm backend takes the lease first and describes its holder
 * afterwards; an engine that looks in between gives up despite its lock timeout, so it starts again.
 */
async function applyInTurn(code: Awaited<ReturnType<typeof workdir>>) {
  for (let attempt = 1; ; attempt++) {
    const applied = await code.run(['apply', '-auto-approve', '-no-color', '-lock-timeout=120s'])
    if (applied.code === 0) {
      return
    }
    const betweenLeaseAndHolder = applied.output.includes('blob metadata "terraformlockid" was empty')
    if (!betweenLeaseAndHolder || attempt === 5) {
      throw new Error(`apply ended with ${applied.code}:\n${applied.output}`)
    }
  }
}

describe.each(cases)('backend "$backend" of $name', ({ engine, open }) => {
  test('shares its locks with us, both ways', async (context) => {
    const { around, through, taco } = await shared(context, engine, open)

    for (const [holder, other] of [
      [around, through],
      [through, around],
    ] as const) {
      const [started, go] = [join(holder.folder, 'started'), join(holder.folder, 'go')]
      await holder.write('work.tf', waitingResource(started, go))
      await other.write('work.tf', '')
      const held = holder.start(['apply', '-auto-approve'])
      await eventually('the holder to be under way', () => existsSync(started))

      const refused = await other.run(['apply', '-auto-approve', '-no-color'])
      const shown = await taco('unit', 'show', 'prod/app', '--json')

      await writeFile(go, '')
      expect(refused.code).toBe(1)
      expect(refused.output).toContain('Error acquiring the state lock')
      expect(refused.output).toMatch(/Who:\s+\S+@\S+/)
      expect(shown.stdout).toMatch(/"operation": ?"OperationTypeApply"/i)
      expect(await held.finished).toMatchObject({ code: 0 })
      await other.must(['apply', '-auto-approve'])
    }
  })

  test('takes turns with us, and no write that was acknowledged is lost', async (context) => {
    const { around, through, taco } = await shared(context, engine, open)
    const before = State.parse(JSON.parse((await around.must(['state', 'pull'])).stdout)).serial

    const rounds = 4
    await Promise.all(
      Object.entries({ around, through }).map(async ([way, code]) => {
        for (let round = 1; round <= rounds; round++) {
          await code.write('main.tf', code.backend + oneResource(`${way} ${round}`))
          await applyInTurn(code)
        }
      }),
    )

    // Two writers at once both follow the same serial, and one write is lost.
    const after = State.parse(JSON.parse((await around.must(['state', 'pull'])).stdout)).serial
    expect(after - before).toBe(2 * rounds)
    const { items } = Versions.parse(
      JSON.parse((await taco('state', 'versions', 'prod/app', '--json')).stdout),
    )
    expect(items.filter(({ how }) => how === 'backend')).toHaveLength(rounds)
    expect(new Set(items.map(({ serial }) => serial)).size).toBe(items.length)
  })
})
