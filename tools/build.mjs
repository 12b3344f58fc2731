// Bundles the program into dist/. npm packages are bundled too, so that an installed OpenTaco has no dependencies
// of its own.
//
//   dist/cli.cjs      the command line, in one file: one CommonJS file starts faster than modules in many
//   dist/errors.cjs   the error class, which everything must share to recognize its errors
//   dist/thread.js    what a server does in other threads
//   dist/describe-thread.js  reads the code of a module that is published
//   dist/worker.js    a server process of `taco serve --workers`
//   dist/*.js         what src/wire/cli.ts imports lazily, as modules with chunks of their own
//   dist/web/         what pages are made of: stylesheet, script, icon
//   dist/hcl2json/    the HCL parser of `taco scan`: a small program and its WebAssembly, unchanged
//
//   node tools/build.mjs [--if-stale] [--out <folder>]

import { createHash } from 'node:crypto'
import { copyFile, mkdir, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { build } from 'esbuild'
import { licencesOf } from './licences.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const entry = 'src/wire/cli.ts'
const errorsFile = 'src/base/errors.ts'
/** @type {import('esbuild').BuildOptions} */
const commonJs = {
  format: 'cjs',
  outExtension: { '.js': '.cjs' },
  define: { 'import.meta.url': 'tacoUrl', 'import.meta.dirname': '__dirname' },
  banner: { js: "const tacoUrl=require('node:url').pathToFileURL(__filename).href;" },
}
/** The parser looks for its WebAssembly in the folder above its own. */
const hclParser = './hcl2json/build/parser.cjs'
const hclWasm = 'hcl2json/main.wasm.gz'
/** Where pages look for their files, beside the program. */
const webAssets = './web'
const webSources = join(root, 'src/entry/http/web/assets')
/** Scripts of others that pages load, by the name that pages use. */
const webForeign = { htmx: 'node_modules/htmx.org/dist/htmx.min.js' }
const stampName = '.stamp'
/** Chunks of an earlier build stay this long: a server that still runs from them may load one at any time. */
const keepOldChunksMs = 3_600_000

const { values } = parseArgs({ options: { 'if-stale': { type: 'boolean' }, out: { type: 'string' } } })
const out = resolve(root, values.out ?? 'dist')
const stamp = await stampOfSources()
if (values['if-stale'] && (await readFile(join(out, stampName), 'utf8').catch(() => '')) === stamp)
  process.exit(0)

const started = performance.now()
/** @type {Set<string>} */
const lazyEntries = new Set()
const shared = await bundle({ entryPoints: { errors: errorsFile }, ...commonJs })
const cli = await bundle({
  entryPoints: { cli: entry },
  ...commonJs,
  plugins: [shareErrors(), collectLazyEntries(), takeOnlyWhatIsUsed()],
})
const heavy = Object.values(cli.metafile.outputs).flatMap(({ inputs }) =>
  Object.keys(inputs).filter((path) => path.includes('node_modules/') && inputs[path]?.bytesInOutput),
)
if (heavy.length > 0) {
  process.stderr.write(
    `the command line takes npm packages in, which every command would load:\n${heavy.join('\n')}\n` +
      `hint: import what uses them lazily in ${entry}\n`,
  )
  process.exit(1)
}
const rest = await bundle({
  entryPoints: Object.fromEntries(
    [...lazyEntries, 'src/wire/workers/worker.ts', 'src/wire/threads/describe-thread.ts'].map((path) => [
      basename(path, '.ts'),
      path,
    ]),
  ),
  format: 'esm',
  splitting: true,
  chunkNames: '[name]-[hash]',
  define: {
    __dirname: 'import.meta.dirname',
    __filename: 'import.meta.filename',
    TACO_HCL_PARSER: JSON.stringify(hclParser),
    TACO_WEB_ASSETS: JSON.stringify(webAssets),
  },
  external: [hclParser],
  plugins: [shareErrors(), withoutTongues()],
})
const hcl = await bundle({
  entryPoints: { [hclParser.replace(/\.cjs$/, '')]: '@cdktn/hcl2json' },
  format: 'cjs',
  outExtension: { '.js': '.cjs' },
  // A fallback for runtimes that lack the global of this name; Node has it.
  external: ['performance'],
})
// Names are made from the content when a server starts.
const web = await build({
  entryPoints: [
    ...(await readdir(webSources))
      .filter((name) => /\.(css|js|svg)$/.test(name))
      .map((name) => ({ in: join(webSources, name), out: name.replace(/\.\w+$/, '') })),
    ...Object.entries(webForeign).map(([name, path]) => ({ in: join(root, path), out: name })),
  ],
  outdir: join(out, webAssets),
  minify: true,
  loader: { '.svg': 'copy' },
  write: false,
  logLevel: 'warning',
}).catch(() => process.exit(1))
// One file: a thread that loads nothing else starts at once.
const thread = await bundle({
  entryPoints: { thread: 'src/wire/threads/thread.ts' },
  format: 'esm',
  plugins: [shareErrors(), withoutTongues(), takeOnlyWhatIsUsed()],
})
const outputFiles = [rest, web, hcl, thread, shared, cli].flatMap((built) => built.outputFiles)
const inputs = {
  ...rest.metafile.inputs,
  ...hcl.metafile.inputs,
  ...thread.metafile.inputs,
  ...cli.metafile.inputs,
}

const hollow = Object.entries(rest.metafile.inputs).flatMap(([path, input]) =>
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

const written = new Set([join(out, stampName), join(out, 'THIRD-PARTY-LICENSES.txt'), join(out, hclWasm)])
// The command line comes last: until then the folder still starts the old program.
for (const file of outputFiles) {
  written.add(file.path)
  if (file.path === join(out, 'cli.cjs')) continue
  await put(
    file.path,
    file.path.endsWith('.js') && !web.outputFiles.includes(file) ? withRequire(file.text) : file.text,
  )
}
await putCopy(join(out, hclWasm), join(root, 'node_modules/@cdktn/hcl2json/main.wasm.gz'))
for (const file of cli.outputFiles) await putProgram(file.path, withLateImports(file.text))
await put(
  join(out, 'THIRD-PARTY-LICENSES.txt'),
  await licencesOf(root, [...Object.keys(inputs), ...Object.values(webForeign)]),
)
await removeOld(out, written)
await put(join(out, stampName), stamp)

const kilobytes = Math.round(outputFiles.reduce((sum, file) => sum + file.contents.length, 0) / 1024)
process.stderr.write(
  `built ${outputFiles.length} files, ${kilobytes} kB, in ${((performance.now() - started) / 1000).toFixed(1)} s\n`,
)

/** @param {import('esbuild').BuildOptions} options */
async function bundle(options) {
  return await build({
    ...options,
    absWorkingDir: root,
    outdir: out,
    bundle: true,
    platform: 'node',
    target: 'node20',
    // ESM flavours first: what is not used falls away.
    mainFields: ['module', 'main'],
    // Names and lines stay, so that a stack trace from a user can be read.
    minifySyntax: true,
    legalComments: 'none',
    metafile: true,
    write: false,
    logLevel: 'warning',
  }).catch(() => process.exit(1))
}

/** @returns {import('esbuild').Plugin} */
function shareErrors() {
  return {
    name: 'share-errors',
    setup(building) {
      building.onResolve({ filter: /\/errors\.ts$/ }, ({ path, resolveDir }) =>
        resolve(resolveDir, path) === join(root, errorsFile)
          ? { path: './errors.cjs', external: true }
          : undefined,
      )
    },
  }
}

/**
 * The schema library brings its messages in fifty languages, which is half of it; only the English ones, which it
 * imports by themselves, are ever used.
 *
 * @returns {import('esbuild').Plugin}
 */
function withoutTongues() {
  return {
    name: 'without-tongues',
    setup(building) {
      building.onLoad({ filter: /[/\\]zod[/\\]v4[/\\]locales[/\\]index\.js$/ }, () => ({
        contents: "export { default as en } from './en.js'",
      }))
    },
  }
}

/**
 * Of a layer's index.ts the command line takes what it uses and leaves the rest, schemas above all: importing a file of
 * ours does nothing by itself.
 *
 * @returns {import('esbuild').Plugin}
 */
function takeOnlyWhatIsUsed() {
  return {
    name: 'take-only-what-is-used',
    setup(building) {
      building.onResolve({ filter: /^\.\.?\/.*\.ts$/ }, ({ path, resolveDir, kind }) =>
        kind === 'import-statement' ? { path: resolve(resolveDir, path), sideEffects: false } : undefined,
      )
    },
  }
}

/** @returns {import('esbuild').Plugin} */
function collectLazyEntries() {
  return {
    name: 'lazy-entries',
    setup(building) {
      building.onResolve({ filter: /\.ts$/ }, ({ path, importer, resolveDir, kind }) => {
        if (kind !== 'dynamic-import' || importer !== join(root, entry)) return undefined
        lazyEntries.add(resolve(resolveDir, path))
        return { path: `./${basename(path, '.ts')}.js`, external: true }
      })
    },
  }
}

/** @param {{ path: string, kind: string }} found */
function isLazyCommonJs({ path, kind }) {
  return kind === 'dynamic-import' && rest.metafile.inputs[path]?.format === 'cjs'
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
 * Node's own modules are loaded by the first who uses them: most commands need few. Our own are loaded by bin/taco,
 * for code that was compiled ahead cannot import.
 *
 * @param {string} text
 */
function withLateImports(text) {
  /** @type {Map<string, string>} */
  const names = new Map()
  const without = text.replaceAll(/\b(import_node_\w+) = require\(("node:[\w/]+")\)/g, (_, name, path) => {
    names.set(name, `(require(${path}))`)
    return name
  })
  const late = without
    .replaceAll(/\b(import_node_\w+)\./g, (_, name) => `${names.get(name) ?? name}.`)
    .replaceAll(/\bimport\(("node:[\w/]+")\)/g, 'Promise.resolve(require($1))')
    .replaceAll(/\bimport\(("\.\/[\w-]+\.js")\)/g, 'tacoImport($1)')
  if (/\bimport\(/.test(late))
    throw new Error('the command line imports something that is neither ours nor of Node')
  return `const tacoImport = module.lazily ?? ((name) => import(name));\n${late}`
}

/**
 * The first line tells one program from another: see bin/taco.
 *
 * @param {string} path
 * @param {string} text
 */
async function putProgram(path, text) {
  const name = createHash('sha256').update(text).digest('hex').slice(0, 16)
  await put(path, `//${name}\n${text}`)
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
 * @param {string} path
 * @param {string} source
 */
async function putCopy(path, source) {
  const temporary = `${path}.${process.pid}.tmp`
  await mkdir(dirname(path), { recursive: true })
  await copyFile(source, temporary)
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
