import { isKnownList, isMap, isScalar } from './values.ts'

/** Undefined means "known only at run time", in arguments and in results. */
export type HclFunction = (...args: readonly unknown[]) => unknown

/** The functions of the engines that names and places of states are put together with; any other is for a run. */
export const FUNCTIONS: Readonly<Record<string, HclFunction>> = {
  abspath: texts((path) => (path.startsWith('/') ? path : undefined)),
  basename: texts((path) => path.replace(/\/+$/, '').replace(/^.*\//, '')),
  coalesce: (...args) =>
    args.includes(undefined) ? undefined : args.find((one) => one !== null && one !== ''),
  concat: (...args) => (args.every(Array.isArray) ? args.flat() : undefined),
  contains: (list, value) => (isKnownList(list) && value !== undefined ? list.includes(value) : undefined),
  dirname: texts((path) => (path.includes('/') ? path.replace(/\/[^/]*$/, '') || '/' : '.')),
  element: (list, index) =>
    isKnownList(list) && typeof index === 'number' ? list[index % list.length] : undefined,
  format: (pattern, ...args) => formatted(pattern, args),
  join: (by, list) =>
    typeof by === 'string' && isKnownList(list) && list.every(isScalar)
      ? list.map(String).join(by)
      : undefined,
  keys: (map) => (isMap(map) ? Object.keys(map).toSorted() : undefined),
  lookup: (map, key, fallback) =>
    isMap(map) && typeof key === 'string' ? (Object.hasOwn(map, key) ? map[key] : fallback) : undefined,
  lower: texts((text) => text.toLowerCase()),
  merge: (...args) => (args.every(isMap) ? (Object.assign({}, ...args) as unknown) : undefined),
  nonsensitive: (value) => value,
  pathexpand: texts((path) => path),
  replace: texts((text, from = '', to = '') =>
    /^\/.*\/$/s.test(from) ? undefined : text.replaceAll(from, () => to),
  ),
  sensitive: (value) => value,
  split: texts((by, text = '') => text.split(by)),
  title: texts((text) => text.replaceAll(/(^|\s)\S/g, (letter) => letter.toUpperCase())),
  tolist: (list) => list,
  tomap: (map) => map,
  toset: (list) => (isKnownList(list) ? [...new Set(list)] : undefined),
  tostring: (value) => (isScalar(value) ? String(value) : undefined),
  trim: texts((text, signs = '') => {
    const among = [...text].map((sign) => !signs.includes(sign))
    return among.includes(true) ? text.slice(among.indexOf(true), among.lastIndexOf(true) + 1) : ''
  }),
  trimprefix: texts((text, start = '') => (text.startsWith(start) ? text.slice(start.length) : text)),
  trimspace: texts((text) => text.trim()),
  trimsuffix: texts((text, end = '') =>
    end !== '' && text.endsWith(end) ? text.slice(0, -end.length) : text,
  ),
  // What only a run knows may be there then: the next one is right only if it could never be.
  try: (first) => first,
  upper: texts((text) => text.toUpperCase()),
  values: (map) =>
    isMap(map)
      ? Object.keys(map)
          .toSorted()
          .map((key) => map[key])
      : undefined,
}

function texts(work: (first: string, second?: string, third?: string) => unknown): HclFunction {
  return (...args) => {
    const given = args.map((one) => (isScalar(one) ? String(one) : undefined))
    const [first, second, third] = given
    return first === undefined || given.includes(undefined) ? undefined : work(first, second, third)
  }
}

function formatted(pattern: unknown, args: readonly unknown[]): string | undefined {
  if (typeof pattern !== 'string' || !args.every(isScalar)) return undefined
  const left = [...args]
  let isWhole = true
  const text = pattern.replaceAll(/%(%|[^%a-z]*[a-z])/gi, (_all, verb: string) => {
    if (verb === '%') return '%'
    if ((verb !== 's' && verb !== 'd' && verb !== 'v') || left.length === 0) isWhole = false
    return String(left.shift())
  })
  return isWhole ? text : undefined
}
