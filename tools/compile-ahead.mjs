// What V8 makes of dist/cli.cjs, kept beside it so that Node 20 need not compile it at each start (newer Nodes keep
// that by themselves). A few commands are run first: functions that have run are kept compiled, too.
//
//   node tools/compile-ahead.mjs <cli.cjs> <cache>

import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import vm from 'node:vm'

const [program = '', cache = ''] = process.argv.slice(2)
const text = await readFile(program, 'utf8')
// As bin/taco loads it.
const script = new vm.Script(`(function (exports, require, module, __filename, __dirname) {${text}\n})`, {
  filename: program,
  importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
})
const lazily = (/** @type {string} */ name) => import(pathToFileURL(join(dirname(program), name)).href)
/** @type {{ lazily: typeof lazily, exports: { main?: (args: string[]) => Promise<number> } }} */
const loaded = { exports: {}, lazily }
script.runInThisContext()(loaded.exports, createRequire(program), loaded, program, dirname(program))

const folder = await mkdtemp(join(tmpdir(), 'opentaco-build-'))
const server = createServer((_request, answer) => {
  answer.setHeader('content-type', 'application/json').end('{"items":[],"inputs":[],"next":null}')
})
try {
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  for (const name of Object.keys(process.env)) if (name.startsWith('TACO_')) delete process.env[name]
  process.env['XDG_CONFIG_HOME'] = folder
  process.env['TACO_SERVER'] = `http://127.0.0.1:${port}`
  for (const command of ['unit show app --json', 'unit ls', 'inputs app --json', 'inputs app'])
    await loaded.exports.main?.(command.split(' '))
} finally {
  server.close()
  await rm(folder, { recursive: true, force: true })
}
await writeFile(`${cache}.${process.pid}.tmp`, script.createCachedData())
await rename(`${cache}.${process.pid}.tmp`, cache)
