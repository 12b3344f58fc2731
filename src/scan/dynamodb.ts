import { type HclBody, type HclReader, bodiesOf, labelled } from './hcl/hcl.ts'
import type { KeyPlace } from './hcl/lines.ts'
import { backendsIn, remoteStatesIn } from './code.ts'
import { DYNAMODB_TABLE, mentionsDynamodb } from './dynamodb-lines.ts'
import { folderOf } from './path.ts'
import type { ScannedFiles } from './read.ts'
import { readTerragrunt } from './terragrunt/terragrunt.ts'
import type { TerragruntFiles } from './terragrunt/functions.ts'

/** Code that makes an engine use a DynamoDB table beside the bucket. */
export interface DynamodbUse {
  readonly file: string
  readonly line: number
  /** `backend "s3"`, or what else sets it. */
  readonly by: string
  /**
   * `lock`: the engine locks in the table alone, so OpenTaco and the engine do not exclude each other. `digest`: they
   * do, or it only reads; but the engine refuses a state whose digest in the table is not the one that it wrote.
   */
  readonly trouble: 'lock' | 'digest'
}

/** Each file separately: the change is in a line of a file, whichever units use it. */
export async function dynamodbUses(
  read: ScannedFiles,
  files: TerragruntFiles,
  hcl: HclReader,
): Promise<readonly DynamodbUse[]> {
  const backends = backendBlocks(read)
  const found: (Omit<DynamodbUse, 'line'> & { readonly header: RegExp })[] = []
  for (const { file, config } of backends)
    found.push(...use(file, 'backend "s3"', /^backend\b/, troubleOf(config)))
  for (const [file, body] of read.files)
    for (const { label, kind, config } of remoteStatesIn(folderOf(file), read.code, body))
      if (kind === 's3' && troubleOf(config) !== undefined)
        found.push(
          ...use(
            file,
            `data.terraform_remote_state.${label}`,
            new RegExp(`"terraform_remote_state"\\s+"${label}"`),
            'digest',
          ),
        )
  for (const [file, body] of read.hcl) {
    if (!read.dynamodb.has(file)) continue
    if ('remote_state' in body || 'generate' in body) {
      const { backend, generated } = readTerragrunt(files, file)
      if (backend?.kind === 's3' && backend.file === file)
        found.push(...use(file, 'remote_state', /^remote_state\b/, troubleOf(backend.config)))
      for (const one of generated)
        if (one.file === file)
          for (const trouble of await troublesIn(one.text, hcl))
            found.push(...use(file, 'the generated backend "s3"', /^backend\b/, trouble))
    } else if (isBackendConfig(body)) {
      // A file for `-backend-config` completes a block that is somewhere else.
      const isLocked = backends.length > 0 && backends.every(({ config }) => isOn(config['use_lockfile']))
      const trouble = troubleOf(isLocked ? { ...body, use_lockfile: true } : body)
      found.push(...use(file, 'a file for -backend-config', /^$/, trouble))
    }
  }
  // Such a file may contain anything else as well.
  for (const file of new Set(read.faults.map((fault) => fault.file)))
    if ((read.dynamodb.get(file) ?? []).length > 0)
      found.push({ file, by: 'a file that cannot be parsed', header: /./, trouble: 'lock' })
  return found
    .map(({ header, ...one }) => ({ ...one, line: lineOf(read.dynamodb.get(one.file) ?? [], header) }))
    .toSorted((a, b) => (a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1))
}

function use(file: string, by: string, header: RegExp, trouble: DynamodbUse['trouble'] | undefined) {
  return trouble === undefined ? [] : [{ file, by, header, trouble }]
}

/** The one that counts in each folder: overrides come last. */
function backendBlocks({ files, code }: ScannedFiles) {
  const byFolder = new Map<string, { file: string; config: HclBody }>()
  for (const [file, body] of files)
    for (const { kind, config } of backendsIn(folderOf(file), code, body))
      if (kind === 's3') byFolder.set(folderOf(file), { file, config })
      else byFolder.delete(folderOf(file))
  return [...byFolder.values()]
}

async function troublesIn(text: string, hcl: HclReader): Promise<readonly DynamodbUse['trouble'][]> {
  const parsed = mentionsDynamodb(text) ? await hcl.read(text) : { body: {} }
  if (!('body' in parsed)) return []
  return bodiesOf(parsed.body['terraform'])
    .flatMap((block) => labelled(block['backend']))
    .flatMap(({ label, body }) => (label === 's3' ? (troubleOf(body) ?? []) : []))
}

/** `bucket = …`, `key = …` and the like, without blocks around them. */
function isBackendConfig(body: HclBody): boolean {
  return DYNAMODB_TABLE in body && !('locals' in body) && !('inputs' in body)
}

/** What only a run knows counts as set, and as not locked in the bucket. */
function troubleOf(config: HclBody): DynamodbUse['trouble'] | undefined {
  if (!(DYNAMODB_TABLE in config) || config[DYNAMODB_TABLE] === null || config[DYNAMODB_TABLE] === '')
    return undefined
  return isOn(config['use_lockfile']) ? 'digest' : 'lock'
}

function isOn(value: unknown): boolean {
  return value === true || value === 'true'
}

function lineOf(places: readonly KeyPlace[], header: RegExp): number {
  const isThere = ({ inside }: KeyPlace) =>
    inside.length === 0 ? header.test('') : inside.some((one) => header.test(one))
  return (places.find(isThere) ?? places[0])?.line ?? 1
}
