/** Where a unit's code keeps its state: with us through the environment alone, at its own address, or on this disk. */
export type BackendKind = 'open' | 'own' | 'none'

/** `open`: `backend "http" {}` without an address, which TF_HTTP_* fills in. Reads code only as far as this needs. */
export function backendKind(files: readonly string[]): BackendKind {
  for (const text of files) {
    const code = text.replace(/(^|\s)(#|\/\/)[^\n]*/g, '$1').replace(/\/\*[\s\S]*?\*\//g, '')
    const http = /\bbackend\s+"http"\s*\{([^}]*)\}/.exec(code)
    if (http !== null) return /\baddress\s*=/.test(http[1] ?? '') ? 'own' : 'open'
    if (/\bbackend\s+"local"/.test(code)) return 'none'
    if (/\bbackend\s+"[a-z0-9_]+"|\bcloud\s*\{/.test(code)) return 'own'
  }
  return 'none'
}
