/** A file of HCL as plain JSON: blocks by type and labels, expressions as text in `${…}`. */
export type HclBody = Readonly<Record<string, unknown>>

/** Where a file cannot be read, and why. Lines and columns count from 1. */
export interface HclFault {
  readonly line: number
  readonly column: number
  readonly message: string
}

export interface HclReader {
  /** A file that is broken is a fault, not an exception: the others can still be read. */
  read(text: string): Promise<{ readonly body: HclBody } | { readonly faults: readonly HclFault[] }>
}

/** Larger files are not hand-written configuration. */
export const MOST_HCL_BYTES = 1024 * 1024

export function isBody(value: unknown): value is HclBody {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The bodies of blocks without labels: one or many, as the JSON syntax allows. */
export function bodiesOf(value: unknown): readonly HclBody[] {
  return (Array.isArray(value) ? value : [value]).filter(isBody)
}

/** Blocks with one label. */
export function labelled(value: unknown): readonly { readonly label: string; readonly body: HclBody }[] {
  return bodiesOf(value).flatMap((byLabel) =>
    Object.entries(byLabel).flatMap(([label, inner]) => bodiesOf(inner).map((body) => ({ label, body }))),
  )
}

/** Every text in it, at any depth. */
export function* textsIn(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value
  else if (Array.isArray(value)) for (const one of value) yield* textsIn(one)
  else if (isBody(value)) for (const one of Object.values(value)) yield* textsIn(one)
}

/** A value as written, for people. */
export function said(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
