import { execFile } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { findOrBuild } from '../peers/toolchain.ts'
import { startServer } from '../rig/server.ts'
import { tempFolder } from '../rig/temp.ts'

/** Clients that others generate from `/v1/openapi.json`, called against the built server. */
const run = promisify(execFile)
const [typescript, fetching, python] = await Promise.all([
  findOrBuild('openapi-typescript'),
  findOrBuild('openapi-fetch'),
  findOrBuild('openapi-python-client'),
])
const MOST = { maxBuffer: 2 ** 26 }

const TYPESCRIPT = `import createClient from 'openapi-fetch'
import type { components, paths } from './api.d.ts'

const client = createClient<paths>({ baseUrl: process.argv[2] ?? '' })
const key = { 'idempotency-key': 'one' }
const made = await client.POST('/v1/units', {
  params: { header: key },
  body: { name: 'prod/app', labels: { team: 'x' } },
})
const again = await client.POST('/v1/units', {
  params: { header: key },
  body: { name: 'prod/app', labels: { team: 'x' } },
})
const listed = await client.GET('/v1/units', { params: { query: { limit: 10 } } })
const path = { unit: 'prod--app' }
const changed = await client.PATCH('/v1/units/{unit}', { params: { path }, body: { description: 'new' } })
const started = await client.POST('/v1/rollouts', { body: { from: ['prod/app'] } })
const absent = await client.GET('/v1/units/{unit}/diff', { params: { path } })
const diff: components['schemas']['StateDiff'] | undefined = absent.data
const names: string[] = listed.data?.items.map(({ name }) => name) ?? []
console.log(
  JSON.stringify({
    same: made.data?.id === again.data?.id,
    names,
    description: changed.data?.description,
    steps: started.data?.steps.length,
    code: absent.error?.code,
    diff: diff?.encrypted ?? null,
  }),
)
`

test.skipIf(typescript === undefined || fetching === undefined)(
  'a TypeScript client of openapi-typescript compiles, and does what it says',
  { timeout: 300_000 },
  async () => {
    const server = await startServer()
    const folder = await tempFolder()
    const types = path.join(folder, 'api.d.ts')
    await run(
      process.execPath,
      [realpathSync(typescript ?? ''), `${server.url}/v1/openapi.json`, '-o', types],
      MOST,
    )
    const module = realpathSync(fetching ?? '')
    await writeFile(path.join(folder, 'client.ts'), TYPESCRIPT)
    const config = {
      compilerOptions: {
        strict: true,
        noEmit: true,
        allowImportingTsExtensions: true,
        target: 'es2022',
        module: 'preserve',
        moduleResolution: 'bundler',
        skipLibCheck: true,
        lib: ['es2022', 'dom', 'dom.iterable'],
        types: ['node'],
        typeRoots: [path.resolve('node_modules/@types')],
        paths: { 'openapi-fetch': [module.replace(/index\.mjs$/, 'index.d.mts')] },
      },
      files: ['client.ts'],
    }
    await writeFile(path.join(folder, 'tsconfig.json'), JSON.stringify(config))
    const require = createRequire(import.meta.url)
    await run(process.execPath, [require.resolve('typescript/bin/tsc'), '-p', folder], MOST)

    const { build } = await import('esbuild')
    const out = path.join(folder, 'client.mjs')
    await build({
      entryPoints: [path.join(folder, 'client.ts')],
      outfile: out,
      bundle: true,
      format: 'esm',
      platform: 'node',
      alias: { 'openapi-fetch': module },
    })
    const { stdout } = await run(process.execPath, [out, server.url])

    expect(JSON.parse(stdout)).toEqual({
      same: true,
      names: ['prod/app'],
      description: 'new',
      steps: 1,
      code: 'NOT_FOUND',
      diff: null,
    })
  },
)

const PYTHON = `import importlib, json, pkgutil, sys
import open_taco_client
for found in pkgutil.walk_packages(open_taco_client.__path__, 'open_taco_client.'):
    importlib.import_module(found.name)
from open_taco_client import Client
from open_taco_client.api.locks import lock_unit
from open_taco_client.api.units import create_unit, get_unit, list_units, rename_unit
from open_taco_client.api.versions import diff_versions
from open_taco_client.models import CreateUnitBody, LockUnitBody, RenameUnitBody

client = Client(base_url=sys.argv[1])
made = create_unit.sync(client=client, body=CreateUnitBody(name='prod/app'), idempotency_key='one')
again = create_unit.sync(client=client, body=CreateUnitBody(name='prod/app'), idempotency_key='one')
lock = lock_unit.sync('prod--app', client=client, body=LockUnitBody(id='mine'))
unit = get_unit.sync('prod--app', client=client)
renamed = rename_unit.sync('prod--app', client=client, body=RenameUnitBody(name='prod/web'))
listed = list_units.sync(client=client)
absent = diff_versions.sync('prod--web', client=client)
print(json.dumps({
    'same': made.id == again.id == unit.id,
    'lock': lock.id,
    'names': [one.name for one in listed.items],
    'renamed': renamed.name,
    'code': absent.code,
}))
`

test.skipIf(python === undefined)(
  'a Python client of openapi-python-client is whole, and does what it says',
  { timeout: 300_000 },
  async () => {
    const server = await startServer()
    const folder = await tempFolder()
    const program = realpathSync(python ?? '')
    const target = path.join(folder, 'client')
    const { stdout: said, stderr } = await run(
      program,
      ['generate', '--url', `${server.url}/v1/openapi.json`, '--output-path', target],
      MOST,
    )
    // It cannot handle answers that stream line by line; everything else must be there.
    expect([...`${said}${stderr}`.matchAll(/WARNING parsing (\S+ \S+)/g)].map(([, what]) => what)).toEqual([
      'GET /v1/audit/verify',
      'POST /v1/adopt',
      'POST /v1/doctor',
    ])
    await writeFile(path.join(target, 'call.py'), PYTHON)
    const interpreter = path.join(path.dirname(program), 'python')
    const { stdout } = await run(interpreter, [path.join(target, 'call.py'), server.url], MOST)

    expect(JSON.parse(stdout)).toEqual({
      same: true,
      lock: 'mine',
      names: ['prod/web'],
      renamed: 'prod/web',
      code: 'NOT_FOUND',
    })
  },
)
