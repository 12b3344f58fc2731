/**
 * Name and version of an engine from the output of `version -json`, e.g. `tofu 1.12.6`. Undefined: it is not an engine.
 */
export function engineVersion(program: string, text: string): string | undefined {
  let said: unknown
  try {
    said = JSON.parse(text)
  } catch {
    return undefined
  }
  if (typeof said !== 'object' || said === null || !('terraform_version' in said)) return undefined
  const name = program.slice(program.lastIndexOf('/') + 1)
  return `${name} ${String(said.terraform_version)}`
}
