import type { HclBody } from '../hcl/hcl.ts'
import type { HclFunction } from '../hcl/functions.ts'
import { absolute, folderAt, folderOf, joined, relativePath, repositoryRoot } from '../path.ts'

/** Parsed files by their path below the scanned folder. */
export interface TerragruntFiles {
  get(path: string): HclBody | undefined
  has(path: string): boolean
  isFolder(path: string): boolean
  /** The position of the scanned folder in its repository; undefined: in none that is known. */
  readonly within: string | undefined
}

/** From where a file is read. */
export interface Standpoint {
  /** The folder of the unit; for a file that is read as a separate configuration, that file's. */
  readonly dir: string
  /** The folder of the unit in any case. */
  readonly original: string
  /** The folder of the file that is included: by label, or the only one. */
  parent(label: string | undefined): string | undefined
  read(path: string): unknown
}

/** Terragrunt's own functions, as far as they only depend on paths. */
export function functionsFor(
  files: TerragruntFiles,
  { dir, original, parent, read }: Standpoint,
): Readonly<Record<string, HclFunction>> {
  const fromParent =
    (work: (folder: string) => string): HclFunction =>
    (label) => {
      const folder = parent(typeof label === 'string' ? label : undefined)
      return folder === undefined ? undefined : work(folder)
    }
  const { within } = files
  const path = (folder: string) => absolute(folder, within)
  // Above what is scanned there may be more files, unless that is the whole repository.
  const isAll = within === undefined || within === '.'
  const fromRoot = within === undefined ? undefined : joined(within, dir)
  return {
    find_in_parent_folders: (...[name, fallback]) => {
      const wanted = name === undefined ? ['terragrunt.hcl', 'root.hcl'] : [name]
      const found = wanted.flatMap((one) =>
        typeof one === 'string' ? (findAbove(files, dir, one) ?? []) : [],
      )
      if (found[0] !== undefined) return path(found[0])
      return isAll && wanted.every((one) => typeof one === 'string' && one.endsWith('.hcl'))
        ? fallback
        : undefined
    },
    get_env: (_name, fallback) => fallback,
    get_original_terragrunt_dir: () => path(original),
    get_parent_terragrunt_dir: fromParent(path),
    get_path_from_repo_root: () => fromRoot,
    get_path_to_repo_root: () => (fromRoot === undefined ? undefined : relativePath(fromRoot, '.')),
    get_repo_root: () => (within === undefined ? undefined : repositoryRoot(within)),
    get_terragrunt_dir: () => path(dir),
    path_relative_from_include: fromParent((folder) => relativePath(dir, folder)),
    path_relative_to_include: fromParent((folder) => relativePath(folder, dir)),
    read_terragrunt_config: (file, fallback) => {
      const found = typeof file === 'string' ? (folderAt(file) ?? joined(dir, file)) : undefined
      // What is unknown, or outside, may well exist.
      if (found === undefined) return undefined
      return files.has(found) ? read(found) : fallback
    },
  }
}

/** A file or a folder of that name, in the nearest folder above. */
function findAbove(files: TerragruntFiles, dir: string, name: string): string | undefined {
  for (let at = dir; at !== '.';) {
    at = folderOf(at)
    const path = joined(at, name)
    if (path === undefined) return undefined
    if (files.has(path) || files.isFolder(path)) return path
  }
  return undefined
}
