/** The address of a unit's http backend: slashes of the unit stay plain path segments. */
export function backendUrl(server: string, org: string, unit: string): string {
  return `${server}/v1/backend/${[org, ...unit.split('/')].map(encodeURIComponent).join('/')}`
}

/** Locks live at the same address as the state; the token is not part of the code. */
export function backendBlock(url: string | undefined): string {
  return `terraform {\n  ${innerBlock(url).replaceAll('\n', '\n  ')}\n}\n`
}

/** What goes inside `terraform { … }`. */
export function innerBlock(url: string | undefined): string {
  if (url === undefined) return 'backend "http" {}'
  return `backend "http" {
  address        = ${hclText(url)}
  lock_address   = ${hclText(url)}
  unlock_address = ${hclText(url)}
}`
}

export function hclText(value: string): string {
  return JSON.stringify(value)
    .replaceAll('${', () => '$${')
    .replaceAll('%{', '%%{')
}

/** Both engines read these instead of the code. `run` is kept with the locks that they take. */
export function backendEnv(url: string, token: string | undefined, run?: string): Record<string, string> {
  return {
    TF_HTTP_ADDRESS: url,
    TF_HTTP_LOCK_ADDRESS: run === undefined ? url : `${url}?run=${encodeURIComponent(run)}`,
    TF_HTTP_UNLOCK_ADDRESS: url,
    TF_HTTP_UPDATE_METHOD: 'POST',
    TF_HTTP_LOCK_METHOD: 'LOCK',
    TF_HTTP_UNLOCK_METHOD: 'UNLOCK',
    ...(token === undefined ? {} : { TF_HTTP_USERNAME: 'taco', TF_HTTP_PASSWORD: token }),
  }
}
