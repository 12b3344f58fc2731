import { isTacoError, messageOf } from '../base/errors.ts'
import { type HclBody, type HclFault, type HclReader, MOST_HCL_BYTES, isBody } from './hcl/hcl.ts'
import type { KeyPlace } from './hcl/lines.ts'
import type { CodeFolder } from './code.ts'
import { dynamodbPlaces } from './dynamodb-lines.ts'
import { folderOf } from './path.ts'

/** A file to look at; its path is below the scanned folder, with forward slashes. */
export interface ScanFile {
  readonly path: string
  readonly size: number
  read(): Promise<string>
}

export interface FileFault extends HclFault {
  readonly file: string
}

/** All that was read, by folder and by file. */
export interface ScannedFiles {
  readonly code: ReadonlyMap<string, CodeFolder>
  /** Files of Terragrunt, and those that they may include. */
  readonly hcl: ReadonlyMap<string, HclBody>
  /** Each file of code, in the order in which later ones win. */
  readonly files: ReadonlyMap<string, HclBody>
  /** Where files name a DynamoDB table. */
  readonly dynamodb: ReadonlyMap<string, readonly KeyPlace[]>
  readonly faults: readonly FileFault[]
}

const CODE = /\.(tf|tofu)(\.json)?$/
const VARIABLES = /(^|\/)(terraform|[^/]*\.auto)\.tfvars(\.json)?$/
/** Files of Terragrunt, and those for `-backend-config`. */
const HCL = /\.(hcl(\.json)?|tfbackend)$/
const OF_OTHERS = /(^|\/)(\.[^/]*|[^/]*\.(pkr|pkrvars|nomad|tftest|tofutest|tfmock|tfquery))\.hcl$/
const OVERRIDE = /(^|_|\/)override\.(tf|tofu)(\.json)?$/

export function isScanned(path: string): boolean {
  return CODE.test(path) || VARIABLES.test(path) || (HCL.test(path) && !OF_OTHERS.test(path))
}

export async function readFiles(
  files: AsyncIterable<ScanFile> | Iterable<ScanFile>,
  hcl: HclReader,
): Promise<ScannedFiles> {
  const bodies = new Map<string, HclBody>()
  const paths = new Set<string>()
  const faults: FileFault[] = []
  const dynamodb = new Map<string, readonly KeyPlace[]>()
  for await (const file of files) {
    if (!isScanned(file.path)) continue
    paths.add(file.path)
    const read = await readFile(file, hcl, (text) => {
      const places = dynamodbPlaces(file.path, text)
      if (places !== undefined) dynamodb.set(file.path, places)
    })
    if ('body' in read) bodies.set(file.path, read.body)
    else faults.push(...read.faults.map((fault) => ({ ...fault, file: file.path })))
  }
  const code = new Map<string, { bodies: HclBody[]; variables: HclBody }>()
  const ofCode = new Map<string, HclBody>()
  // OpenTofu passes over `x.tf` where there is an `x.tofu`.
  const counted = [...bodies].filter(
    ([path]) => !paths.has(path.replace(/\.tf(\.json)?$/, '.tofu$1')) || !/\.tf(\.json)?$/.test(path),
  )
  for (const [path, body] of counted.toSorted(byWeight)) {
    if (HCL.test(path)) continue
    const dir = folderOf(path)
    const folder = code.get(dir) ?? { bodies: [], variables: {} }
    code.set(dir, folder)
    if (CODE.test(path)) {
      folder.bodies.push(body)
      ofCode.set(path, body)
    } else folder.variables = { ...folder.variables, ...body }
  }
  const others = new Map([...bodies].filter(([path]) => HCL.test(path)))
  return { code, files: ofCode, hcl: others, dynamodb, faults }
}

/** Overrides win over what they override, and `*.auto.tfvars` over `terraform.tfvars`. */
function byWeight([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  const weight = (path: string) => Number(OVERRIDE.test(path) || /\.auto\.tfvars/.test(path))
  return weight(a) - weight(b) || (a < b ? -1 : 1)
}

async function readFile(
  file: ScanFile,
  hcl: HclReader,
  onText: (text: string) => void,
): ReturnType<HclReader['read']> {
  const fault = (line: number, column: number, message: string) => ({ faults: [{ line, column, message }] })
  if (file.size > MOST_HCL_BYTES)
    return fault(1, 1, `it has ${file.size} bytes; more than ${MOST_HCL_BYTES} are not read`)
  try {
    const text = await file.read()
    onText(text)
    return file.path.endsWith('.json') ? readJson(text) : await hcl.read(text)
  } catch (error) {
    if (isTacoError(error)) throw error
    return fault(1, 1, messageOf(error))
  }
}

function readJson(text: string): { body: HclBody } | { faults: readonly HclFault[] } {
  try {
    const body: unknown = JSON.parse(text)
    if (isTooDeep(body)) return { faults: [{ line: 1, column: 1, message: 'it is nested too deeply' }] }
    return { body: isBody(body) ? body : {} }
  } catch (error) {
    const message = messageOf(error)
    const at = /at position (\d+)/.exec(message)?.[1]
    const before = text.slice(0, at === undefined ? text.length : Number(at)).split('\n')
    const place = { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
    return { faults: [{ ...place, message: message.replace(/ (in JSON )?at position .*$/, '') }] }
  }
}

/** No real code is nested this deeply; walking it would exhaust the stack and fail the other files too. */
function isTooDeep(body: unknown): boolean {
  let level: readonly unknown[] = [body]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > 500) return true
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []))
  }
  return false
}
