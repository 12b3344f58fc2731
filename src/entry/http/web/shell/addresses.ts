/**
 * The addresses of pages:
 *
 * - `/app/<org>`, `/app/<org>/rollouts`, `/app/<org>/activity` …: the places of the navigation
 * - `/app/<org>/units/<unit>`, `/app/<org>/units/<unit>/<tab>`: a unit, its name with `--` for `/`
 *
 * `/app/<org>/<workspace>/…`, which engines print, leads to the unit (estate/workspaces.ts).
 */
export function unitPath(base: string, unit: string, tab?: string): string {
  const path = `${base}/units/${unit.split('/').map(encodeURIComponent).join('--')}`
  return tab === undefined ? path : `${path}/${tab}`
}

/** This page with other parameters. Undefined or empty: without it. */
export function withQuery(path: string, changes: Readonly<Record<string, string | undefined>>): string {
  const [place = '', query = ''] = path.split('?')
  const parameters = new URLSearchParams(query)
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === '') parameters.delete(name)
    else parameters.set(name, value)
  }
  const text = parameters.toString()
  return text === '' ? place : `${place}?${text}`
}
