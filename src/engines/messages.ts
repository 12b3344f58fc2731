/**
 * Whether an engine failed only because its folder is not initialized, or no longer fits its configuration. The one
 * place that reads engines' messages; the test beside it holds real ones.
 */
export function isInitNeeded(output: string): boolean {
  const text = plain(output)
  return !BEGUN.test(text) && SAYINGS.some((saying) => saying.test(text))
}

/**
 * An engine that has begun to change something was initialized. What it prints later may come from a command of the
 * user.
 */
const BEGUN = /^\S.*: (Creating|Modifying|Destroying|Provisioning with '.*')\.\.\./m

const SAYINGS: readonly RegExp[] = [
  /Backend initialization required/,
  /Error: Backend type changed|Backend configuration changed|Error: Backend initialization/,
  /Error: Module not installed/,
  /Error: Module (source|version requirements) ha(s|ve) changed/,
  /Error: Required plugins are not installed/,
  /Error: Inconsistent dependency lock file/,
  /Could not load plugin|missing or corrupted provider plugins/,
  /provider .* not available for installation|there is no package for .* cached in/,
  /(run|running|Run|Running)[:\s]+"?(tofu|terraform) init"?/,
]

/**
 * Some engines compare the variables they find with those in a saved plan and require them again; others refuse them
 * there. So we pass them only after an engine has asked for them; until then it has done nothing.
 */
export function isMissingVariables(output: string): boolean {
  return plain(output).includes('Error: Mismatch between input and plan variable value')
}

/** The end of an engine's output, for a person: the error, without colours and frames. */
export function errorOf(output: string): string {
  const text = plain(output)
  const at = text.lastIndexOf('Error: ')
  return (at === -1 ? text : text.slice(at))
    .replace(/\s*\n\s*/g, ' ')
    .trim()
    .slice(0, 1000)
}

function plain(output: string): string {
  // oxlint-disable-next-line no-control-regex -- colours are what is taken out
  return output.replace(/\u001b\[[0-9;]*m/g, '').replace(/^[│╷╵]\s?/gm, '')
}
