import type { ModuleFile, ModuleMetadata, ModulePart } from '../registry/index.ts'
import { type HclBody, type HclReader, bodiesOf, isBody, labelled } from './hcl/hcl.ts'
import { folderOf } from './path.ts'
import { type ScanFile, readFiles } from './read.ts'

/** More of a kind are not listed: no module that people use has as many. */
const MOST = 1_000
const MOST_PARTS = 100
const LONGEST = 20_000

/** What the code of a module says about itself: its root, its submodules and its examples. */
export async function describeModule(files: readonly ModuleFile[], hcl: HclReader): Promise<ModuleMetadata> {
  const readmes = new Map(
    files
      .filter(({ path }) => !isCode(path))
      // Where there are several, the one in Markdown counts.
      .toSorted((a, b) => Number(isMarkdown(a.path)) - Number(isMarkdown(b.path)))
      .map(({ path, text }) => [folderOf(path), text]),
  )
  const read = await readFiles(files.filter(({ path }) => isCode(path)).map(scanned), hcl)
  const part = (path: string) => partOf(path, readmes.get(path) ?? '', read.code.get(path)?.bodies ?? [])
  const folders = [...new Set([...read.code.keys(), ...readmes.keys()])].toSorted()
  const below = (top: string) => folders.filter((path) => path.startsWith(`${top}/`)).slice(0, MOST_PARTS)
  return {
    v: 1,
    root: part(ROOT),
    submodules: below('modules').map(part),
    examples: below('examples').map(part),
    faults: read.faults.map(({ file, line, message }) => `${file}, line ${line}: ${message}`).slice(0, MOST),
  }
}

const ROOT = folderOf('main.tf')
const isCode = (path: string) => /\.(tf|tofu)(\.json)?$/.test(path)

const isMarkdown = (path: string) => /\.(md|markdown)$/i.test(path)

function scanned({ path, text }: ModuleFile): ScanFile {
  return { path, size: Buffer.byteLength(text), read: () => Promise.resolve(text) }
}

/** Of one folder. Later files change what earlier ones say, as overrides do. Pure. */
function partOf(path: string, readme: string, bodies: readonly HclBody[]): ModulePart {
  const settings = bodies.flatMap((body) => bodiesOf(body['terraform']))
  const all = (type: string) => merged(bodies.flatMap((body) => labelled(body[type])))
  return {
    path: path === ROOT ? '' : path,
    readme,
    engine: wordOf(settings.map((one) => one['required_version']).findLast((one) => one !== undefined)),
    inputs: all('variable').map(({ label, body }) => ({
      name: label,
      type: expressionOf(body['type']),
      description: wordOf(body['description']).trim(),
      default: Object.hasOwn(body, 'default') ? valueOf(body['default']) : null,
      isSensitive: body['sensitive'] === true,
    })),
    outputs: all('output').map(({ label, body }) => ({
      name: label,
      description: wordOf(body['description']).trim(),
      isSensitive: body['sensitive'] === true,
    })),
    resources: [
      ...resourcesIn(bodies, 'resource', 'managed'),
      ...resourcesIn(bodies, 'data', 'data'),
      ...resourcesIn(bodies, 'ephemeral', 'ephemeral'),
    ].slice(0, MOST),
    dependencies: all('module').map(({ label, body }) => ({
      name: label,
      source: wordOf(body['source']),
      version: wordOf(body['version']),
    })),
    providers: providersIn(settings),
  }
}

interface Block {
  readonly label: string
  readonly body: HclBody
}

/** By name; what is said later counts. */
function merged(blocks: readonly Block[]): readonly Block[] {
  const byName = new Map<string, HclBody>()
  for (const { label, body } of blocks) byName.set(label, { ...byName.get(label), ...body })
  return [...byName].slice(0, MOST).map(([label, body]) => ({ label, body }))
}

function resourcesIn(bodies: readonly HclBody[], block: string, mode: ModulePart['resources'][0]['mode']) {
  const found = bodies.flatMap((body) => bodiesOf(body[block])).flatMap((byType) => Object.entries(byType))
  const names = found.flatMap(([type, byName]) =>
    bodiesOf(byName)
      .flatMap((one) => Object.keys(one))
      .map((name) => ({ mode, type, name })),
  )
  return [...new Map(names.map((one) => [`${one.type}.${one.name}`, one])).values()]
}

function providersIn(settings: readonly HclBody[]): ModulePart['providers'] {
  const needs = settings.flatMap((one) => bodiesOf(one['required_providers']))
  const byName = new Map(needs.flatMap((one) => Object.entries(one)))
  return [...byName].slice(0, MOST).map(([name, need]) =>
    isBody(need)
      ? { name, source: wordOf(need['source']), version: wordOf(need['version']) }
      : // Until Terraform 0.12, the version was all that there was to say.
        { name, source: '', version: wordOf(need) },
  )
}

function wordOf(value: unknown): string {
  return typeof value === 'string' ? shortened(value) : ''
}

/** `${list(string)}`, as the parser says it, is `list(string)`. */
function expressionOf(value: unknown): string {
  const text = wordOf(value)
  return text.startsWith('${') && text.endsWith('}') ? outdented(text.slice(2, -1)) : text
}

/** The lines behind the first one are indented as the code around them is. */
function outdented(text: string): string {
  const [first = '', ...rest] = text.split('\n')
  const indents = rest.filter((line) => line.trim() !== '').map((line) => /^ */.exec(line)?.[0].length ?? 0)
  const indent = Math.min(...indents)
  return [first, ...rest.map((line) => line.slice(Number.isFinite(indent) ? indent : 0))].join('\n')
}

/** As JSON, or the expression as it is written. */
function valueOf(value: unknown): string {
  const isExpression = typeof value === 'string' && value.startsWith('${') && value.endsWith('}')
  return isExpression ? expressionOf(value) : shortened(JSON.stringify(value))
}

const shortened = (text: string) => (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text)
