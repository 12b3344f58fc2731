import { TacoError } from '../base/errors.ts'

/** What finding a program needs from the machine. */
export interface Machine {
  /** PATH, split. */
  readonly folders: readonly string[]
  isProgram(path: string): boolean
}

/** Both, in order of preference if the user does not choose. */
const KNOWN = ['tofu', 'terraform'] as const

/** Full path of the engine: `tofu`, `terraform`, or the path of a program that behaves like them. */
export function findEngine(wanted: string | undefined, machine: Machine): string {
  const names = wanted === undefined ? KNOWN : [wanted]
  for (const name of names) {
    if (name.includes('/')) {
      if (machine.isProgram(name)) return name
      continue
    }
    const found = machine.folders.map((folder) => `${folder}/${name}`).find((path) => machine.isProgram(path))
    if (found !== undefined) return found
  }
  throw new TacoError('NOT_FOUND', `There is no ${names.join(' and no ')} on this machine.`, {
    facts: { engine: wanted ?? null },
    hint: 'Install OpenTofu or Terraform, or name the program with `engine:` in taco.yaml or with TACO_ENGINE.',
  })
}
