// The licence texts of what a bundle contains. Bundling copies other people's code, so their notices travel along.

import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** Licences that allow bundling into an Apache-2.0 program with nothing but a notice. */
const fitting = new Set([
  'MIT',
  'ISC',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  // What htmx calls 0BSD.
  'BSD-0-Clause',
  'BlueOak-1.0.0',
  'MIT-0',
])

/** Licences that allow it if the notice also says where the source is. */
const fittingWithSource = new Set(['MPL-2.0'])

/**
 * @param {string} root
 * @param {readonly string[]} inputs files that went into the bundle, relative to root
 */
export async function licencesOf(root, inputs) {
  const folders = new Set()
  for (const input of inputs) {
    const folder = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1]
    if (folder !== undefined) folders.add(folder)
  }
  /** @type {Map<string, string>} */
  const notices = new Map()
  for (const folder of folders) {
    const { name, version, license, repository } = JSON.parse(
      await readFile(join(root, folder, 'package.json'), 'utf8'),
    )
    const source = fittingWithSource.has(license) ? repository?.url : undefined
    if (!fitting.has(license) && source === undefined)
      throw new Error(`${name} ${version} has the licence ${license}: decide before it is bundled`)
    const file = (await readdir(join(root, folder))).find((found) => /^(licen[cs]e|copying)/i.test(found))
    const text = file === undefined ? '' : (await readFile(join(root, folder, file), 'utf8')).trim()
    const where = source === undefined ? '' : `The source code is available at ${source}\n\n`
    notices.set(`${name} ${version} (${license})`, `${where}${text}`)
  }
  const parts = [...notices]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([title, text]) => `## ${title}\n\n${text}\n`)
  return `OpenTaco contains code of these packages, each under its own licence.\n\n${parts.join('\n')}`
}
