import { messageOf } from '../base/errors.ts'
import { unitNameFor } from '../state/index.ts'
import { type HclBody, type HclFault, type HclReader, MOST_HCL_BYTES, isBody } from './hcl.ts'
import { findCycle } from './project-cycle.ts'
import type { ProjectDependency } from './project.ts'
import { type FolderFacts, type Use, readFolder } from './scan-folder.ts'
import { folderOf } from './scan-path.ts'

/** A file to look at; its path is below the scanned folder, with forward slashes. */
export interface ScanFile {
  readonly path: string
  readonly size: number
  read(): Promise<string>
}

export interface ScannedUnit {
  readonly name: string
  readonly dir: string
  /** Where its state lies, for people. */
  readonly backend: string
  readonly dependencies: readonly (ProjectDependency & {
    /** What in the code says so. */
    readonly via: readonly string[]
  })[]
}

export interface ScanReport {
  readonly units: readonly ScannedUnit[]
  /** Uses of states that could not be found. */
  readonly unresolved: readonly { readonly dir: string; readonly uses: string; readonly reason: string }[]
  readonly faults: readonly (HclFault & { readonly file: string })[]
  /** Units that use each other in a circle; null: none do. No order could be found to apply them in. */
  readonly cycle: readonly string[] | null
}

const CODE = /\.(tf|tofu)(\.json)?$/
const TERRAGRUNT = /(^|\/)terragrunt\.hcl$/

export function isScanned(path: string): boolean {
  return CODE.test(path) || TERRAGRUNT.test(path)
}

/** Finds the root modules below a folder and what they use of each other. */
export async function scan(
  files: AsyncIterable<ScanFile> | Iterable<ScanFile>,
  options: { readonly hcl: HclReader; readonly rootName: string },
): Promise<ScanReport> {
  const faults: (HclFault & { file: string })[] = []
  const folders = new Map<string, { code: HclBody[]; terragrunt: HclBody[] }>()
  for await (const file of files) {
    if (!isScanned(file.path)) continue
    const read = await readFile(file, options.hcl)
    if ('faults' in read) faults.push(...read.faults.map((fault) => ({ ...fault, file: file.path })))
    const dir = folderOf(file.path)
    const folder = folders.get(dir) ?? { code: [], terragrunt: [] }
    folders.set(dir, folder)
    if ('body' in read) (TERRAGRUNT.test(file.path) ? folder.terragrunt : folder.code).push(read.body)
  }
  const facts = [...folders].map(([dir, bodies]) => readFolder(dir, bodies))
  return { ...connect(rootsOf(facts), options.rootName), faults }
}

async function readFile(file: ScanFile, hcl: HclReader): ReturnType<HclReader['read']> {
  if (file.size > MOST_HCL_BYTES)
    return {
      faults: [
        {
          line: 1,
          column: 1,
          message: `it has ${file.size} bytes; more than ${MOST_HCL_BYTES} are not read`,
        },
      ],
    }
  try {
    const text = await file.read()
    if (!file.path.endsWith('.json')) return await hcl.read(text)
    const body: unknown = JSON.parse(text)
    return { body: isBody(body) ? body : {} }
  } catch (error) {
    return { faults: [{ line: 1, column: 1, message: messageOf(error) }] }
  }
}

/** What keeps a state: it says so, or nobody calls it as a module. */
function rootsOf(facts: readonly FolderFacts[]): readonly FolderFacts[] {
  const called = new Set(facts.flatMap(({ modules }) => modules))
  return facts
    .filter(({ dir, place, hasContent }) => place !== undefined || (hasContent && !called.has(dir)))
    .toSorted((a, b) => (a.dir < b.dir ? -1 : 1))
}

function connect(roots: readonly FolderFacts[], rootName: string): Omit<ScanReport, 'faults'> {
  const names = namesOf(roots, rootName)
  const nameOf = (facts: FolderFacts) => names.get(facts.dir) ?? facts.dir
  const byPlace = new Map(
    roots.map((facts) => [
      facts.place?.identity ?? `local:${facts.dir === '.' ? '' : `${facts.dir}/`}terraform.tfstate`,
      facts,
    ]),
  )
  const byDir = new Map(roots.map((facts) => [facts.dir, facts]))
  const unresolved: { dir: string; uses: string; reason: string }[] = []

  function target(use: Use): string | undefined {
    const folder = use.dir === undefined ? undefined : byDir.get(use.dir)
    const other = folder ?? (use.place?.identity === undefined ? undefined : byPlace.get(use.place.identity))
    if (other !== undefined) return nameOf(other)
    // A unit of ours need not lie in this repository.
    return use.place?.kind === 'opentaco' ? use.place.unit : undefined
  }

  const units = roots.map((facts) => {
    const edges = new Map<string, ScannedUnit['dependencies'][number]>()
    for (const use of facts.uses) {
      const on = target(use)
      if (on === undefined) {
        const reason =
          use.lost ??
          (use.dir === undefined
            ? `no folder here keeps its state at: ${use.place?.says ?? '?'}`
            : `${use.dir} has no root module`)
        unresolved.push({ dir: facts.dir, uses: use.as, reason })
      } else if (on !== nameOf(facts)) edges.set(on, merged(edges.get(on), use, on))
    }
    const backend = facts.place?.says ?? 'local'
    return { name: nameOf(facts), dir: facts.dir, backend, dependencies: [...edges.values()] }
  })
  const edges = new Map(units.map(({ name, dependencies }) => [name, dependencies.map(({ on }) => on)]))
  return { units, unresolved, cycle: findCycle(edges) ?? null }
}

function merged(
  known: ScannedUnit['dependencies'][number] | undefined,
  use: Use,
  on: string,
): ScannedUnit['dependencies'][number] {
  const outputs =
    known === undefined
      ? use.outputs
      : known.outputs === null || use.outputs === null
        ? null
        : [...new Set([...known.outputs, ...use.outputs])]
  return { on, outputs, inputs: { ...known?.inputs, ...use.inputs }, via: [...(known?.via ?? []), use.as] }
}

/** By the state's place where it tells, as `taco adopt` does; by folder where it does not, or two would be the same. */
function namesOf(roots: readonly FolderFacts[], rootName: string): ReadonlyMap<string, string> {
  const taken = new Map<string, number>()
  for (const { place } of roots)
    if (place?.unit !== undefined) taken.set(place.unit, (taken.get(place.unit) ?? 0) + 1)
  return new Map(
    roots.map(({ dir, place }) => {
      if (place?.unit !== undefined && taken.get(place.unit) === 1) return [dir, place.unit]
      const path = dir === '.' ? rootName : dir
      return [dir, unitNameFor({ path, workspace: undefined, layout: 'plain' }, undefined, '')]
    }),
  )
}
