import type { HclReader } from './hcl/hcl.ts'
import { groupedBy } from '../base/group-by.ts'
import type { Place } from './backend.ts'
import { type DynamodbUse, dynamodbUses } from './dynamodb.ts'
import { hasContent, modulesOf, placeOfCode, usesOf } from './code.ts'
import { type Connections, type Root, connect } from './connect.ts'
import { namesOf } from './names.ts'
import { folderOf } from './path.ts'
import { type FileFault, type ScanFile, type ScannedFiles, readFiles } from './read.ts'
import { type TerragruntFacts, readTerragrunt } from './terragrunt/terragrunt.ts'

export { isScanned } from './read.ts'
export type { ScanFile } from './read.ts'
export { mentionsDynamodb } from './dynamodb-lines.ts'
export type { DynamodbUse } from './dynamodb.ts'

export interface ScanReport extends Connections {
  /** What was seen and not understood, or looks wrong. */
  readonly remarks: readonly Remark[]
  readonly faults: readonly FileFault[]
  /** What makes it unsafe, or impossible, to share a bucket with OpenTaco. */
  readonly dynamodb: readonly DynamodbUse[]
}

interface Remark {
  /** A folder or a file. */
  readonly where: string
  readonly says: string
}

const TERRAGRUNT = /(^|\/)terragrunt\.hcl(\.json)?$/
const STACK = /(^|\/)terragrunt\.stack\.hcl$/

/** Finds the root modules below a folder and what they use of each other. */
export async function scan(
  files: AsyncIterable<ScanFile> | Iterable<ScanFile>,
  options: {
    readonly hcl: HclReader
    readonly rootName: string
    /** The position of the folder in its repository, `.` for its root; undefined: in none. */
    readonly within: string | undefined
  },
): Promise<ScanReport> {
  const read = await readFiles(files, options.hcl)
  const { configurations, asked, files: seen } = readConfigurations(read, options.within)
  const remarks = [...configurations.values()].flatMap((facts) => facts.remarks)
  const roots = await rootsOf(read, configurations, options.hcl, remarks)
  const names = namesOf(roots, options.rootName)
  remarks.push(...stacksIn(read), ...sharedPlaces(roots), ...names.remarks)
  const faults = read.faults.filter(
    ({ file }) => !file.endsWith('.hcl') || TERRAGRUNT.test(file) || asked.has(file),
  )
  const dynamodb = await dynamodbUses(read, seen, options.hcl)
  return { ...connect(roots, names.byDir), remarks: distinct(remarks), faults, dynamodb }
}

/** Every `terragrunt.hcl`, and the other files that one of them requested. */
function readConfigurations({ hcl, faults }: ScannedFiles, within: string | undefined) {
  const paths = new Set([...hcl.keys(), ...faults.map(({ file }) => file)])
  const folders = new Set<string>()
  for (const path of paths)
    for (let dir = folderOf(path); !folders.has(dir); dir = folderOf(dir)) folders.add(dir)
  const asked = new Set<string>()
  const files = {
    within,
    has: (path: string) => paths.has(path),
    isFolder: (path: string) => folders.has(path),
    get(path: string) {
      asked.add(path)
      return hcl.get(path)
    },
  }
  const configurations = new Map(
    [...hcl.keys()]
      .filter((path) => TERRAGRUNT.test(path))
      .map((path) => [folderOf(path), readTerragrunt(files, path)] as const),
  )
  const included = new Set([...configurations.values()].flatMap(({ includes }) => includes.map(folderOf)))
  // An included file is not a unit, unless it includes something itself.
  for (const [dir, facts] of configurations)
    if (!facts.isUnit || (included.has(dir) && facts.includes.length === 0)) configurations.delete(dir)
  return { configurations, asked, files }
}

/** A folder has a state if it configures one, or if no other code calls it as a module. */
async function rootsOf(
  { code }: ScannedFiles,
  configurations: ReadonlyMap<string, TerragruntFacts>,
  hcl: HclReader,
  remarks: Remark[],
): Promise<readonly Root[]> {
  const called = new Set([
    ...[...code].flatMap(([dir, folder]) => modulesOf(dir, folder)),
    ...[...configurations.values()].flatMap(({ module }) => module ?? []),
  ])
  const roots: Root[] = []
  for (const [dir, facts] of configurations) {
    const module = facts.module === undefined ? undefined : code.get(facts.module)
    const own = code.get(dir)
    const place =
      facts.place ??
      (await generatedPlace(dir, facts.generated, hcl)) ??
      (own === undefined ? undefined : placeOfCode(dir, own)) ??
      (module === undefined ? undefined : completePlace(placeOfCode(dir, module)))
    const inside = [...new Set([dir, facts.module ?? dir])]
    const uses = inside.flatMap((folder) => usesOf(code, dir, { dir: folder, given: facts.inputs }))
    roots.push({
      dir,
      place: place ?? { kind: 'terragrunt', says: 'terragrunt' },
      uses: [...facts.uses, ...uses],
    })
  }
  for (const [dir, folder] of code) {
    if (configurations.has(dir)) continue
    const place = placeOfCode(dir, folder)
    const isModule = called.has(dir) && completePlace(place) === undefined
    if (isModule || (place === undefined && !hasContent(folder))) continue
    if (place === undefined && dir.split('/').includes('modules'))
      remarks.push({
        where: dir,
        says: 'nothing here calls it; it is taken for a module, because of its folder',
      })
    else roots.push({ dir, place, uses: usesOf(code, dir) })
  }
  return roots.toSorted((a, b) => (a.dir < b.dir ? -1 : 1))
}

/** Modules have a backend without settings, so that Terragrunt can complete it. */
function completePlace(place: Place | undefined): Place | undefined {
  return [place?.identity, place?.loose, place?.unit].every((one) => one === undefined) ? undefined : place
}

async function generatedPlace(
  dir: string,
  texts: TerragruntFacts['generated'],
  hcl: HclReader,
): Promise<Place | undefined> {
  const bodies = []
  for (const { text } of texts) {
    const read = await hcl.read(text)
    if ('body' in read) bodies.push(read.body)
  }
  return placeOfCode(dir, { bodies, variables: {} })
}

function stacksIn({ hcl }: ScannedFiles): readonly Remark[] {
  return [...hcl]
    .filter(([path]) => STACK.test(path))
    .map(([where, body]) => {
      const names = ['unit', 'stack'].flatMap((kind) => Object.keys(body[kind] ?? {}))
      const says = `its units are not read: ${names.join(', ')}`
      return { where, says: `${says}; add them to taco.yaml by hand` }
    })
}

function sharedPlaces(roots: readonly Root[]): readonly Remark[] {
  const byPlace = groupedBy(roots, ({ place }) => place?.identity)
  return [...byPlace.values()]
    .filter((those) => those.length > 1)
    .map((those) => ({
      where: those.map(({ dir }) => dir).join(', '),
      says: `these store their states in the same place: ${those[0]?.place?.says ?? ''}`,
    }))
}

function distinct(remarks: readonly Remark[]): readonly Remark[] {
  return [...new Map(remarks.map((one) => [`${one.where}\n${one.says}`, one])).values()]
}
