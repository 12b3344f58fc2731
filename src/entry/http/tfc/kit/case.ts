/** `execution-mode` for `executionMode`: attributes of this API for fields of documents. */
export function kebab(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

/** `executionMode` for `execution-mode`. */
export function camel(name: string): string {
  return name.replaceAll(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}

/** Fields as attributes. */
export function kebabKeys(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [kebab(name), value]))
}

type Camel<T extends string> = T extends `${infer A}-${infer B}` ? `${A}${Capitalize<Camel<B>>}` : T
type CamelKeys<T> = { [K in keyof T as K extends string ? Camel<K> : never]: T[K] }

/** Attributes as fields. */
export function camelKeys<T extends Readonly<Record<string, unknown>>>(attributes: T): CamelKeys<T> {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [camel(name), value]),
  ) as CamelKeys<T>
}
