import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { backendKind } from '../../engines/index.ts'
import { readUnitFiles } from './unit-files.ts'
import type { Repository } from '../repository.ts'

const FILES = ['terragrunt.hcl', 'terragrunt.hcl.json']

/** Names of the units that need Terragrunt: it writes their backend into a copy of the code that no worker sees. */
export function terragruntUnits(repository: Repository): ReadonlySet<string> {
  const found = repository.project.units.filter(
    (unit) =>
      FILES.some((file) => existsSync(resolve(repository.root, unit.dir, file))) &&
      backendKind(readUnitFiles(repository, unit).code) === 'none',
  )
  return new Set(found.map(({ name }) => name))
}
