/** The address without what may be a secret: credentials, path and query. For events and logs. */
export function maskUrl(url: string): string {
  const { protocol, host, pathname, search } = new URL(url)
  return `${protocol}//${host}${pathname === '/' && search === '' ? '' : '/…'}`
}
