import { readFile, readdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { TacoError, reasonOf } from '../../../../base/errors.ts'
import { check, fields, flag, list as listOf, text } from '../../api/check-answer.ts'
import { ofWholeServer } from '../../api/client.ts'
import { uploadOf } from '../../api/file-upload.ts'
import type { Session } from '../../session.ts'
import { confirm } from '../../terminal/ask.ts'
import { usageError } from '../../terminal/exit-codes.ts'
import { count } from '../../terminal/format.ts'
import { pathIn } from '../access/shared.ts'

const version = fields({
  version: text,
  isComplete: flag,
  createdAt: text,
  createdBy: text,
  keyId: text,
  protocols: listOf(text),
  platforms: listOf(fields({ os: text, arch: text, isUploaded: flag })),
})
const provider = fields({ name: text, versions: listOf(version) })
const key = fields({ keyId: text, createdAt: text, createdBy: text })

interface PublishFlags {
  readonly key?: string
  readonly protocol?: readonly string[]
}

export async function publish(
  session: Session,
  [name = '', wanted = '', folder = '.']: readonly string[],
  flags: PublishFlags,
): Promise<void> {
  const { world, output } = session
  const client = await session.client()
  const root = resolve(world.cwd, folder)
  const files = await filesIn(root, `terraform-provider-${name}_${wanted}_`)
  const keyId = flags.key === undefined ? await onlyKey(session) : (await addKey(session, flags.key)).keyId
  const path = pathIn(session, 'registry', 'providers', name, wanted)
  const json = { keyId, ...(flags.protocol === undefined ? {} : { protocols: flags.protocol }) }
  let answer = await client.json('PUT', path, { query: ofWholeServer, json })
  for (const file of files) {
    const upload = await uploadOf(world, join(root, file), 'Name the folder with the files of the provider.')
    const options = { query: ofWholeServer, upload, idleMs: 300_000 }
    answer = await client.json('PUT', `${path}/${encodeURIComponent(file)}`, options)
  }
  if (output.asJson) return output.json(answer)
  const { platforms } = check(version, answer)
  output.say(`published ${name} ${wanted} for ${count(platforms.length, 'platform')}, signed with ${keyId}`)
}

/** What belongs to the version, in the order in which the server wants it. */
async function filesIn(root: string, prefix: string): Promise<readonly string[]> {
  const all = await readdir(root).catch((error: unknown) => {
    throw new TacoError('BAD_REQUEST', `Cannot read ${root}: ${reasonOf(error)}.`, {
      hint: 'Name the folder with the files of the provider.',
    })
  })
  const zips = all.filter((file) => file.startsWith(prefix) && file.endsWith('.zip')).toSorted()
  const sums = [`${prefix}SHA256SUMS`, `${prefix}SHA256SUMS.sig`]
  const missing = [
    ...sums.filter((file) => !all.includes(file)),
    ...(zips.length === 0 ? [`${prefix}*.zip`] : []),
  ]
  if (missing.length > 0)
    throw usageError(
      `There is no ${missing.join(' and no ')} in ${root}.`,
      'Build the provider for its platforms, write SHA256SUMS with sha256sum, and sign it with gpg --detach-sign.',
    )
  return [...sums, ...zips]
}

async function onlyKey(session: Session): Promise<string> {
  const answer = await (await session.client()).json('GET', keysPath(session), { query: ofWholeServer })
  const [first, ...others] = check(fields({ items: listOf(key) }), answer).items
  if (first === undefined || others.length > 0)
    throw usageError(
      first === undefined
        ? 'The organization has no signing key.'
        : 'The organization has several signing keys.',
      'Give the public key with --key: gpg --armor --export > key.asc.',
    )
  return first.keyId
}

async function addKey(session: Session, file: string) {
  const asciiArmor = await readFile(resolve(session.world.cwd, file), 'utf8').catch((error: unknown) => {
    throw usageError(`Cannot read ${file}: ${reasonOf(error)}.`, 'Name a file with an armored public key.')
  })
  const options = { query: ofWholeServer, json: { asciiArmor } }
  return check(key, await (await session.client()).json('POST', keysPath(session), options))
}

export async function list(session: Session): Promise<void> {
  const { output } = session
  const path = pathIn(session, 'registry', 'providers')
  const answer = await (await session.client()).json('GET', path, { query: ofWholeServer })
  if (output.asJson) return output.json(answer)
  output.table(
    ['PROVIDER', 'NEWEST', 'VERSIONS'],
    check(fields({ items: listOf(provider) }), answer).items.map(({ name, versions }) => {
      const complete = versions.filter(({ isComplete }) => isComplete)
      return [name, complete[0]?.version ?? '', String(complete.length)]
    }),
  )
}

export async function show(session: Session, [name = '']: readonly string[]): Promise<void> {
  const { output } = session
  const path = pathIn(session, 'registry', 'providers', name)
  const answer = await (await session.client()).json('GET', path, { query: ofWholeServer })
  if (output.asJson) return output.json(answer)
  output.table(
    ['VERSION', 'PLATFORMS', 'KEY', 'PROTOCOLS', 'PUBLISHED', 'BY'],
    check(provider, answer).versions.map((one) => [
      one.isComplete ? one.version : `${one.version} (not complete)`,
      one.platforms.map(({ os, arch }) => `${os}_${arch}`).join(', '),
      one.keyId,
      one.protocols.join(', '),
      one.createdAt,
      one.createdBy,
    ]),
  )
}

export async function remove(
  session: Session,
  [name = '', wanted]: readonly string[],
  { yes }: { readonly yes?: boolean },
): Promise<void> {
  const what = wanted === undefined ? `the provider ${name} and all its versions` : `${name} ${wanted}`
  await confirm(session, `Delete ${what}? Code that uses it cannot be initialized any more.`, yes)
  const parts = wanted === undefined ? [name] : [name, wanted]
  const path = pathIn(session, 'registry', 'providers', ...parts)
  await (await session.client()).json('DELETE', path, { query: ofWholeServer })
  if (session.output.asJson) return session.output.json({ deleted: what })
  session.output.say(`deleted ${what}`)
}

export async function keyAdd(session: Session, [file = '']: readonly string[]): Promise<void> {
  const added = await addKey(session, file)
  if (session.output.asJson) return session.output.json(added)
  session.output.say(`added ${added.keyId}`)
}

export async function keyList(session: Session): Promise<void> {
  const answer = await (await session.client()).json('GET', keysPath(session), { query: ofWholeServer })
  if (session.output.asJson) return session.output.json(answer)
  session.output.table(
    ['KEY', 'ADDED', 'BY'],
    check(fields({ items: listOf(key) }), answer).items.map((one) => [
      one.keyId,
      one.createdAt,
      one.createdBy,
    ]),
  )
}

export async function keyRemove(
  session: Session,
  [id = '']: readonly string[],
  { yes }: { readonly yes?: boolean },
): Promise<void> {
  await confirm(session, `Delete the key ${id}? Versions that it signed cannot be installed any more.`, yes)
  const path = `${keysPath(session)}/${encodeURIComponent(id)}`
  await (await session.client()).json('DELETE', path, { query: ofWholeServer })
  if (session.output.asJson) return session.output.json({ deleted: id })
  session.output.say(`deleted ${id}`)
}

function keysPath(session: Session): string {
  return pathIn(session, 'registry', 'keys')
}
