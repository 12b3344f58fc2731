import { sha256Hex } from '../../../base/sha256-hex.ts'
import type { Project } from '../../../project/index.ts'
import { keep, recall } from './cache-file.ts'
import { check, fields, list, maybe, record, text } from '../api/check-answer.ts'
import type { World } from '../world.ts'

const kept = fields({
  org: maybe(text),
  root: text,
  units: list(
    fields({
      name: text,
      dir: text,
      engine: maybe(text),
      dependencies: list(fields({ on: text, outputs: maybe(list(text)), inputs: record(text) })),
      varFiles: list(text),
      variables: record((value) => value),
      labels: record(text),
    }),
  ),
})

/**
 * A `taco.yaml` as it was understood before, if its text is still the same. The libraries that read it take longer to
 * load and to run than all else that a worker does before its first step.
 */
export async function understood(
  world: World,
  { path, shown, content }: { readonly path: string; readonly shown: string; readonly content: string },
): Promise<Project> {
  const name = `projects/${sha256Hex(path)}.json`
  const madeFrom = sha256Hex(JSON.stringify([world.version(), shown, content]))
  const known = projectIn(recall(world, name, madeFrom))
  if (known !== undefined) return known
  const project = (await world.repository()).readProject(content, shown)
  keep(world, name, madeFrom, project)
  return project
}

function projectIn(value: unknown): Project | undefined {
  if (value === undefined) return undefined
  try {
    const { org, root, units } = check(kept, value)
    return {
      ...(org === null ? {} : { org }),
      root,
      units: units.map(({ engine, ...unit }) => (engine === null ? unit : { ...unit, engine })),
    }
  } catch {
    return undefined
  }
}
