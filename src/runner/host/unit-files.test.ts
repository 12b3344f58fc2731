import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readProject } from '../../project/index.ts'
import { readUnitFiles } from './unit-files.ts'

/** The files that a fingerprint of the unit `app` takes in. */
function takenIn(...given: Parameters<typeof read>): string[] {
  return Object.keys(read(...given).hashes).toSorted()
}

function read(files: Readonly<Record<string, string>>, links: Readonly<Record<string, string>> = {}) {
  const root = mkdtempSync(join(tmpdir(), 'taco-files-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  for (const [path, to] of Object.entries(links)) symlinkSync(to, join(root, path))
  const project = readProject('units: {app: {}, app/inner: {}, other: {}}', join(root, 'taco.yaml'))
  const unit = (name: string) => project.units.find((one) => one.name === name)
  const app = unit('app')
  if (app === undefined) throw new Error('There is no unit app.')
  const folders = new Set(project.units.map(({ dir }) => join(root, dir)))
  return readUnitFiles({ project, file: join(root, 'taco.yaml'), root, folders, unit }, app)
}

test('all of the folder is taken in, but not what engines leave there and what is of other units', () => {
  expect(
    takenIn({
      'app/main.tf': '',
      'app/.hidden': '',
      'app/files/.config/x': '',
      'app/.terraform.lock.hcl': '',
      'app/.terraform/modules/modules.json': '',
      'app/terraform.tfstate': '',
      'app/inner/main.tf': '',
      'other/main.tf': '',
    }),
  ).toEqual(['app/.hidden', 'app/.terraform.lock.hcl', 'app/files/.config/x', 'app/main.tf'])
})

test('patterns lead to the folder they search', () => {
  expect(
    takenIn({
      'app/main.tf': 'locals {\n  all = fileset(path.module, "../shared/*")\n}\n',
      'shared/a.json': '',
      'shared/.b': '',
    }),
  ).toEqual(['app/main.tf', 'shared/.b', 'shared/a.json'])
})

test('a module names paths from its own folder, and from the folder of the unit', () => {
  expect(
    takenIn({
      'app/main.tf': 'module "m" {\n  source = "../modules/m"\n}\n',
      'modules/m/main.tf':
        'locals {\n  a = file("${path.root}/../a.txt")\n  b = file("../b.txt")\n  c = file("${path.module}/../c.txt")\n}\n',
      'a.txt': '',
      'b.txt': '',
      'modules/c.txt': '',
    }),
  ).toEqual(['a.txt', 'app/main.tf', 'b.txt', 'modules/c.txt', 'modules/m/main.tf'])
})

test('links are followed once, wherever they lead', () => {
  expect(
    takenIn(
      { 'app/main.tf': '', 'shared/x.json': '' },
      { 'app/a': '.', 'app/b': '..', 'app/self': 'self', 'app/gone': 'nowhere', 'app/shared': '../shared' },
    ),
  ).toEqual(['app/a', 'app/b', 'app/main.tf', 'app/shared', 'shared/x.json'])
})

test('a text that only looks like a path is passed over', () => {
  const code = `locals {\n  a = "./${'x'.repeat(5000)}"\n  b = "./main.tf/../y"\n}\n`

  expect(takenIn({ 'app/main.tf': code })).toEqual(['app/main.tf'])
})

/** Which not even the owner of the machine may read. */
const SECRET = '/proc/self/mem'

test.skipIf(!existsSync(SECRET))('what cannot be read outside the repository is told, and no failure', () => {
  const code = `locals {\n  a = file("${SECRET}")\n  b = file("../b.txt")\n}\n`

  const { hashes, hidden } = read({ 'app/main.tf': code, 'b.txt': '' }, { 'app/link': SECRET })

  expect(Object.keys(hashes).toSorted()).toEqual(['app/main.tf', 'b.txt'])
  expect(hidden.map((path) => basename(path)).toSorted()).toEqual(['link', 'mem'])
})
