// Bundles src/wire/cli.ts and everything it can reach into dist/. npm packages are bundled too, so that an
// installed OpenTaco has no dependencies of its own; what is imported lazily becomes a chunk of its own.
//
//   node tools/build.mjs [--if-stale] [--out <folder>]

import { createHash } from 'node:crypto'
import { mkdir, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { build } from 'esbuild'
import { licencesOf } from './licences.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const entry = 'src/wire/cli.ts'
const stampName = '.stamp'
/** Chunks of an earlier build stay this long: a server that still runs from them may load one at any time. */
const keepOldChunksMs = 3_600_000

const { values } = parseArgs({ options: { 'if-stale': { type: 'boolean' }, out: { type: 'string' } } })
const out = resolve(root, values.out ?? 'dist')
const stamp = await stampOfSources()
if (values['if-stale'] && (await readFile(join(out, stampName), 'utf8').catch(() => '')) === stamp)
  process.exit(0)

const started = performance.now()
const { outputFiles, metafile } = await build({
  absWorkingDir: root,
  entryPoints: { cli: entry },
  outdir: out,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  // ESM flavours first: what is not used falls away.
  mainFields: ['module', 'main'],
  define: { __dirname: 'import.meta.dirname', __filename: 'import.meta.filename' },
  // Names and lines stay, so that a stack trace from a user can be read.
  minifySyntax: true,
  chunkNames: 'chunks/[name]-[hash]',
  legalComments: 'none',
  metafile: true,
  write: false,
  logLevel: 'warning',
}).catch(() => process.exit(1))

const hollow = Object.entries(metafile.inputs).flatMap(([path, input]) =>
  path.startsWith('src/')
    ? input.imports.filter(isLazyCommonJs).map((found) => `${path} imports ${found.path}`)
    : [],
)
if (hollow.length > 0) {
  process.stderr.write(
    `a CommonJS package has no named exports when it is bundled and imported lazily:\n${hollow.join('\n')}\n` +
      'hint: import it statically in a file of ours, and import that file lazily\n',
  )
  process.exit(1)
}

const written = new Set([join(out, stampName), join(out, 'THIRD-PARTY-LICENSES.txt')])
// The entry comes last: until then the folder still starts the old program.
for (const file of outputFiles.toSorted(
  (a, b) => Number(a.path.endsWith('cli.js')) - Number(b.path.endsWith('cli.js')),
)) {
  written.add(file.path)
  await put(file.path, withRequire(file.text))
}
await put(join(out, 'THIRD-PARTY-LICENSES.txt'), await licencesOf(root, Object.keys(metafile.inputs)))
await removeOld(out, written)
await put(join(out, stampName), stamp)

const kilobytes = Math.round(outputFiles.reduce((sum, file) => sum + file.contents.length, 0) / 1024)
process.stderr.write(
  `built ${outputFiles.length} files, ${kilobytes} kB, in ${((performance.now() - started) / 1000).toFixed(1)} s\n`,
)

/** @param {{ path: string, kind: string }} found */
function isLazyCommonJs({ path, kind }) {
  return kind === 'dynamic-import' && metafile.inputs[path]?.format === 'cjs'
}

/**
 * Bundled CommonJS code asks for Node's own modules by `require`, which a module does not have. Only the chunks
 * that need it pay for it.
 *
 * @param {string} text
 */
function withRequire(text) {
  if (!/\btypeof require\b/.test(text)) return text
  return `import{createRequire as tacoCreateRequire}from'node:module';const require=tacoCreateRequire(import.meta.url);\n${text}`
}

/**
 * A file is either the old one or the new one, never half of it, even while a server starts from here.
 *
 * @param {string} path
 * @param {string} text
 */
async function put(path, text) {
  const temporary = `${path}.${process.pid}.tmp`
  await mkdir(dirname(path), { recursive: true })
  await writeFile(temporary, text)
  await rename(temporary, path)
}

/**
 * @param {string} folder
 * @param {ReadonlySet<string>} keep
 */
async function removeOld(folder, keep) {
  for (const found of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(found.parentPath, found.name)
    if (!found.isFile() || keep.has(path)) continue
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }))
    if (Date.now() - mtimeMs > keepOldChunksMs) await rm(path, { force: true })
  }
}

async function stampOfSources() {
  const hash = createHash('sha256')
  const found = await readdir(join(root, 'src'), { recursive: true, withFileTypes: true })
  const sources = found
    .filter((file) => file.isFile() && !file.name.includes('.test.'))
    .map((file) => join(file.parentPath, file.name))
    .toSorted()
  for (const path of [
    ...sources,
    ...['package.json', 'package-lock.json', 'tools/build.mjs'].map((name) => join(root, name)),
  ]) {
    hash.update(`${path.slice(root.length)}\0`)
    hash.update(await readFile(path).catch(() => ''))
  }
  return hash.digest('hex')
}
