export type Defined<T> = { [K in keyof T]: Exclude<T[K], undefined> }

/** An absent field and one that is undefined are not the same to the services; schemas give the latter. */
export function defined<T extends object>(input: T): Defined<T> {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined)) as Defined<T>
}
