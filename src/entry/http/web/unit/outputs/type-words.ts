/** `list(string)` for `["list","string"]`, as configurations write it. Pure. */
export function typeWords(json: string): string {
  const words = (type: unknown): string => {
    if (!Array.isArray(type)) return typeof type === 'string' ? type : JSON.stringify(type)
    const [kind, of] = type as readonly unknown[]
    if (typeof of !== 'object' || of === null || Array.isArray(of))
      return kind === 'tuple' && Array.isArray(of)
        ? `tuple([${of.map(words).join(', ')}])`
        : `${String(kind)}(${words(of)})`
    const fields = Object.entries(of).map(([name, value]) => `${name} = ${words(value)}`)
    return `${String(kind)}({ ${fields.join(', ')} })`
  }
  try {
    return words(JSON.parse(json))
  } catch {
    return json
  }
}
