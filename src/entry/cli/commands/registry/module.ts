import { resolve } from 'node:path'
import { check, fields, flag, list as listOf, maybe, number, text } from '../../api/check-answer.ts'
import { ofWholeServer } from '../../api/client.ts'
import type { Session } from '../../session.ts'
import { confirm } from '../../terminal/ask.ts'
import { usageError } from '../../terminal/exit-codes.ts'
import { bytes, count } from '../../terminal/format.ts'
import { pathIn } from '../access/shared.ts'

const versionFields = {
  version: text,
  isComplete: flag,
  createdAt: text,
  createdBy: text,
  sha256: maybe(text),
  size: maybe(number),
  deprecation: maybe(fields({ reason: text, link: maybe(text) })),
}
const version = fields(versionFields)
const module = fields({ name: text, provider: text, versions: listOf(version) })
const needed = fields({ name: text, source: text, version: text })
const details = fields({
  ...versionFields,
  summary: text,
  isRead: flag,
  root: fields({
    inputs: listOf(fields({ name: text, type: text, description: text, default: maybe(text) })),
    outputs: listOf(fields({ name: text, description: text })),
    dependencies: listOf(needed),
    providers: listOf(needed),
  }),
  submodules: listOf(fields({ path: text })),
  faults: listOf(text),
})

export async function publish(
  session: Session,
  [source = '', wanted = '', folder = '.']: readonly string[],
): Promise<void> {
  const { world, output } = session
  const [name, provider] = partsOf(source)
  const { createHash } = await import('node:crypto')
  const packed = await (await world.packing()).packFolder(resolve(world.cwd, folder))
  const md5 = createHash('md5').update(packed.bytes).digest('base64')
  const upload = { size: packed.bytes.length, md5, content: packed.bytes }
  const path = pathIn(session, 'registry', 'modules', name, provider, wanted)
  const answer = await (await session.client()).json('PUT', path, { query: ofWholeServer, upload })
  if (output.asJson) return output.json(answer)
  const published = check(version, answer)
  output.say(
    `published ${name}/${provider} ${published.version}: ${count(packed.files, 'file')}, ${bytes(upload.size)}`,
  )
  const { kind, address } = session.target()
  const host = kind === 'server' ? new URL(address).host : '<host>'
  output.note(`next: source = "${host}/${session.org()}/${name}/${provider}" in a module block`)
}

export async function list(session: Session): Promise<void> {
  const { output } = session
  const path = pathIn(session, 'registry', 'modules')
  const answer = await (await session.client()).json('GET', path, { query: ofWholeServer })
  if (output.asJson) return output.json(answer)
  output.table(
    ['MODULE', 'NEWEST', 'VERSIONS', 'PUBLISHED'],
    check(fields({ items: listOf(module) }), answer).items.map(({ name, provider, versions }) => {
      const complete = versions.filter(({ isComplete }) => isComplete)
      return [
        `${name}/${provider}`,
        complete[0]?.version ?? '',
        String(complete.length),
        complete[0]?.createdAt ?? '',
      ]
    }),
  )
}

export async function show(session: Session, [source = '', wanted]: readonly string[]): Promise<void> {
  if (wanted !== undefined) return showVersion(session, source, wanted)
  const { output } = session
  const path = pathIn(session, 'registry', 'modules', ...partsOf(source))
  const answer = await (await session.client()).json('GET', path, { query: ofWholeServer })
  if (output.asJson) return output.json(answer)
  const { versions } = check(module, answer)
  output.table(
    ['VERSION', 'SIZE', 'SHA-256', 'PUBLISHED', 'BY', 'DEPRECATED'],
    versions.map((one) => [
      one.version,
      one.size === null ? 'not uploaded' : bytes(one.size),
      one.sha256 ?? '',
      one.createdAt,
      one.createdBy,
      one.deprecation?.reason ?? '',
    ]),
  )
}

async function showVersion(session: Session, source: string, wanted: string): Promise<void> {
  const { output } = session
  const path = pathIn(session, 'registry', 'modules', ...partsOf(source), wanted)
  const answer = await (await session.client()).json('GET', path, { query: ofWholeServer })
  if (output.asJson) return output.json(answer)
  const { root, ...shown } = check(details, answer)
  output.say(`${source} ${shown.version}${shown.summary === '' ? '' : `: ${shown.summary}`}`)
  if (shown.deprecation !== null)
    output.say(`deprecated: ${shown.deprecation.reason} ${shown.deprecation.link ?? ''}`.trimEnd())
  if (!shown.isRead) output.note('It was published before modules were read, so no more is known about it.')
  for (const fault of shown.faults) output.note(`not read: ${fault}`)
  output.table(
    ['INPUT', 'TYPE', 'DEFAULT', 'DESCRIPTION'],
    root.inputs.map((one) => [
      one.name,
      oneLine(one.type),
      one.default === null ? 'required' : oneLine(one.default),
      oneLine(one.description),
    ]),
  )
  output.table(
    ['OUTPUT', 'DESCRIPTION'],
    root.outputs.map(({ name, description }) => [name, oneLine(description)]),
  )
  output.table(
    ['USES', 'SOURCE', 'VERSION'],
    [...root.providers, ...root.dependencies].map((one) => [one.name, one.source, one.version]),
  )
  if (shown.submodules.length > 0)
    output.note(`submodules: ${shown.submodules.map((one) => one.path).join(', ')}`)
}

const oneLine = (long: string) => long.replaceAll(/\s+/g, ' ').trim()

export async function deprecate(
  session: Session,
  [source = '', wanted = '']: readonly string[],
  { reason = '', link }: { readonly reason?: string; readonly link?: string },
): Promise<void> {
  const json = { reason, ...(link === undefined ? {} : { link }) }
  await changeDeprecation(session, 'PUT', { source, wanted, json })
  if (!session.output.asJson) session.output.say(`deprecated ${source} ${wanted}`)
}

export async function undeprecate(
  session: Session,
  [source = '', wanted = '']: readonly string[],
): Promise<void> {
  await changeDeprecation(session, 'DELETE', { source, wanted })
  if (!session.output.asJson) session.output.say(`${source} ${wanted} is not deprecated any more`)
}

async function changeDeprecation(
  session: Session,
  method: 'PUT' | 'DELETE',
  given: { readonly source: string; readonly wanted: string; readonly json?: object },
): Promise<void> {
  const path = pathIn(session, 'registry', 'modules', ...partsOf(given.source), given.wanted, 'deprecation')
  const { json } = given
  const options = { query: ofWholeServer, ...(json === undefined ? {} : { json }) }
  const answer = await (await session.client()).json(method, path, options)
  if (session.output.asJson) session.output.json(answer)
}

export async function remove(
  session: Session,
  [source = '', wanted]: readonly string[],
  { yes }: { readonly yes?: boolean },
): Promise<void> {
  const parts = [...partsOf(source), ...(wanted === undefined ? [] : [wanted])]
  const what = wanted === undefined ? `the module ${source} and all its versions` : `${source} ${wanted}`
  await confirm(session, `Delete ${what}? Code that uses it cannot be initialized any more.`, yes)
  const path = pathIn(session, 'registry', 'modules', ...parts)
  await (await session.client()).json('DELETE', path, { query: ofWholeServer })
  if (session.output.asJson) return session.output.json({ deleted: what })
  session.output.say(`deleted ${what}`)
}

function partsOf(source: string): readonly [string, string] {
  const [name = '', provider = '', ...more] = source.split('/')
  if (name === '' || provider === '' || more.length > 0)
    throw usageError(`"${source}" is not a module.`, 'Write it as <name>/<provider>, such as network/aws.')
  return [name, provider]
}
