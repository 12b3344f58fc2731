import { type HclBody, bodiesOf } from '../hcl/hcl.ts'
import { type Scope, evaluate, lazily } from '../hcl/evaluate.ts'
import { OutputReference } from '../hcl/reference.ts'
import { folderOf } from '../path.ts'
import { type Standpoint, type TerragruntFiles, functionsFor } from './functions.ts'

/** A file as the unit sees it that reads it. */
export interface Seen {
  readonly path: string
  readonly body: HclBody
  readonly scope: Scope
}

/** What a unit reads as separate configurations. */
export interface Reads {
  /** With what expressions get of it: only once, as files may read themselves, or each other. */
  readonly byPath: Map<string, { readonly seen: Seen; readonly gives: Readonly<Record<string, unknown>> }>
  /** Those whose inputs it uses. */
  readonly givers: Set<Seen>
}

/** `source`: what dependencies of this file are called in references. */
export function see(
  files: TerragruntFiles,
  path: string,
  from: Omit<Standpoint, 'read'>,
  reads: Reads,
  source = (name: string) => name,
): Seen {
  const body = files.get(path) ?? {}
  const names: Record<string, unknown> = { dependency: (name: string) => new OutputReference(source(name)) }
  const scope: Scope = {
    names,
    functions: functionsFor(files, {
      ...from,
      read: (other) => {
        const known = reads.byPath.get(other)
        if (known !== undefined) return known.gives
        const at = folderOf(other)
        const standpoint = { dir: at, original: from.original, parent: () => at }
        const seen = see(files, other, standpoint, reads, (name) => sourceIn(other, name))
        const gives = lazily({
          locals: () => seen.scope.names['local'],
          inputs() {
            reads.givers.add(seen)
            return evaluate(seen.body['inputs'], seen.scope)
          },
          dependency: () => seen.scope.names['dependency'],
        })
        reads.byPath.set(other, { seen, gives })
        return gives
      },
    }),
  }
  names['local'] = lazily(
    Object.fromEntries(
      bodiesOf(body['locals'])
        .flatMap((locals) => Object.entries(locals))
        .map(([name, value]) => [name, () => evaluate(value, scope)]),
    ),
  )
  return { path, body, scope }
}

export function sourceIn(path: string, label: string): string {
  return `${path} ${label}`
}

/** What these read, and what those read in turn. Locals are computed on demand, so all of them are. */
export function readBy(all: readonly Seen[], { byPath }: Reads): readonly Seen[] {
  for (const { scope } of all) Object.values(scope.names['local'] ?? {})
  for (const { seen } of byPath.values()) Object.values(seen.scope.names['local'] ?? {})
  return [...byPath.values()].map(({ seen }) => seen)
}
