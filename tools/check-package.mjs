// The package as a user gets it: packed, linted, free of undeclared imports, installed and started.

import { cp, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { isBuiltin } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { own, root, run } from './run.mjs'

/**
 * What bundled code tries to load and does without when it is not there. Each needs its reason.
 *
 * @type {ReadonlyMap<string, string>}
 */
const optional = new Map([
  ['encoding', 'node-fetch converts odd charsets with it; only used by fetch().textConverted()'],
])

export async function checkPackage() {
  const folder = await mkdtemp(join(tmpdir(), 'opentaco-pack-'))
  try {
    return await checkIn(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** @param {string} folder */
async function checkIn(folder) {
  const stage = join(folder, 'stage')
  for (const name of ['package.json', 'README.md', 'LICENSE', 'CHANGELOG.md', 'bin']) {
    await cp(join(root, name), join(stage, name), { recursive: true })
  }
  const built = await run([process.execPath, 'tools/build.mjs', '--out', join(stage, 'dist')])
  if (built.code !== 0) return built

  const undeclared = await undeclaredImports(stage)
  if (undeclared.length > 0)
    return { code: 1, output: `dist/ imports what nobody declared:\n${undeclared.join('\n')}` }

  // A build folder that was used holds what its first start compiled.
  const used = await run([join(stage, 'bin/taco'), '--help'])
  if (used.code !== 0) return used

  const linted = await run([own('publint'), 'run', stage, '--strict'])
  if (linted.code !== 0) return linted
  const packed = await run(['npm', 'pack', '--silent', '--pack-destination', folder, stage], { cwd: folder })
  if (packed.code !== 0) return packed

  const tarball = (await readdir(folder)).find((name) => name.endsWith('.tgz')) ?? 'no tarball'
  const listed = await run(['tar', '-tzf', join(folder, tarball)])
  const opaque = listed.output.split('\n').filter((name) => /\.cache$|\/compiled\//.test(name))
  if (listed.code !== 0 || opaque.length > 0)
    return {
      code: 1,
      output: `the package holds what nobody can audit:\n${opaque.join('\n')}${listed.output}`,
    }
  const home = join(folder, 'home')
  // The package has no dependencies, so this works with an empty npm cache too.
  const installed = await run(
    [
      'npm',
      'install',
      '--silent',
      '--offline',
      '--no-audit',
      '--no-fund',
      '--prefix',
      home,
      join(folder, tarball),
    ],
    { cwd: folder },
  )
  if (installed.code !== 0) return installed
  const taco = join(home, 'node_modules/.bin/taco')
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  const asked = await run([taco, '--version'], { cwd: folder })
  if (asked.output.trim() !== version) return { code: 1, output: `taco --version says: ${asked.output}` }
  const helped = await run([taco, '--help'], { cwd: folder })
  if (!helped.output.includes('serve')) return { code: 1, output: `taco --help says: ${helped.output}` }
  // The HCL parser is beside the program and is loaded only now.
  const code = join(folder, 'code')
  await mkdir(code)
  await writeFile(
    join(code, 'main.tf'),
    'terraform {\n  backend "local" {}\n}\n\noutput "a" {\n  value = 1\n}\n',
  )
  const scanned = await run([taco, 'scan', '--json', code], { cwd: code })
  if (scanned.code !== 0 || !scanned.output.includes('"backend":"local terraform.tfstate"'))
    return { code: 1, output: `taco scan says: ${scanned.output}` }
  return { code: 0, output: '' }
}

/**
 * Imports of dist/ that are neither Node's own, nor declared, nor known to be optional. A bundler that leaves one
 * out goes unnoticed here, where node_modules is full, and fails on the user's machine.
 *
 * @param {string} stage
 */
async function undeclaredImports(stage) {
  const { dependencies = {} } = JSON.parse(await readFile(join(stage, 'package.json'), 'utf8'))
  const found = await readdir(join(stage, 'dist'), { recursive: true, withFileTypes: true })
  const files = found
    .filter((file) => file.name.endsWith('.js'))
    .map((file) => join(file.parentPath, file.name))
  const { metafile } = await build({
    entryPoints: files,
    outdir: join(stage, 'nowhere'),
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    metafile: true,
    write: false,
    logLevel: 'silent',
  })
  const names = new Set(
    Object.values(metafile.inputs).flatMap((input) =>
      input.imports.filter((found) => found.external).map(({ path }) => path),
    ),
  )
  for (const file of files) {
    for (const [, name = ''] of (await readFile(file, 'utf8')).matchAll(/\b__require\("([^"]+)"\)/g))
      names.add(name)
  }
  return [...names].filter((name) => !isBuiltin(name) && !(name in dependencies) && !optional.has(name))
}
