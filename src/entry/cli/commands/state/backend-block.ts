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
