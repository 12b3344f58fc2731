import { z } from 'zod'
import { type Refuse, quoted } from '../../refusals.ts'
import type { GithubSettings } from '../../settings.ts'
import type { Send } from '../bounded-fetch.ts'

/** Only the fields that are needed. */
const User = z.object({ id: z.number().int(), login: z.string(), name: z.string().nullish() })
const Email = z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() })
const Organization = z.object({ login: z.string() })
const Team = z.object({
  slug: z.string(),
  organization: Organization,
  /** Members of a team are members of its parent too. */
  parent: z.object({ slug: z.string() }).nullish(),
})

/** Of 100 entries each. */
const MAX_PAGES = 20

export interface GithubPerson {
  readonly user: z.infer<typeof User>
  readonly emails: readonly z.infer<typeof Email>[]
  readonly organizations: readonly string[]
  readonly teams: readonly z.infer<typeof Team>[]
  /** Organizations were left out: they require single sign-on, and the person has not allowed it for OpenTaco. */
  readonly isPartial: boolean
}

export function apiUrlOf({ url, apiUrl }: GithubSettings): string {
  if (apiUrl !== undefined) return apiUrl.replace(/\/$/, '')
  const { protocol, host } = new URL(url)
  const hasOwnHost = host === 'github.com' || host.endsWith('.ghe.com')
  return hasOwnHost ? `${protocol}//api.${host}` : `${protocol}//${host}/api/v3`
}

export async function readPerson(
  settings: GithubSettings,
  token: string,
  { send, refuse }: { readonly send: Send; readonly refuse: Refuse },
): Promise<GithubPerson> {
  const { label } = settings
  const api = apiUrlOf(settings)
  let isPartial = false

  const user = (await get('/user', User)).value
  const emails = await list('/user/emails', Email)
  const organizations = await list('/user/orgs', Organization)
  const teams = await list('/user/teams', Team)
  return { user, emails, organizations: organizations.map(({ login }) => login), teams, isPartial }

  async function list<T>(path: string, schema: z.ZodType<T>): Promise<readonly T[]> {
    const found: T[] = []
    let next: string | undefined = `${path}?per_page=100`
    for (let page = 0; next !== undefined; page++) {
      if (page === MAX_PAGES)
        throw refuse('misconfigured', `${label} lists more than ${MAX_PAGES * 100} entries at ${path}.`)
      const answer: { value: T[]; next: string | undefined } = await get(next, z.array(schema))
      found.push(...answer.value)
      next = answer.next
    }
    return found
  }

  async function get<T>(path: string, schema: z.ZodType<T>) {
    const answer = await send(`${api}${path}`, { headers: { ...HEADERS, authorization: `Bearer ${token}` } })
    if (answer.headers.get('x-github-sso')?.startsWith('partial-results') === true) isPartial = true
    const body: unknown = await answer.json().catch(() => undefined)
    if (!answer.ok) throw await refusalOf(answer, path, body)
    const parsed = schema.safeParse(body)
    if (!parsed.success)
      throw refuse('misconfigured', `${label} does not answer as GitHub's API at ${api}${plain(path)}.`)
    return { value: parsed.data, next: nextPage(answer.headers.get('link')) }
  }

  async function refusalOf({ status, headers }: Response, path: string, body: unknown) {
    const said = Said.safeParse(body).data?.message
    const why = said === undefined ? '' : `: ${quoted(said)}`
    if (status === 401) return refuse('denied', `${label} no longer accepts the token of this person.`)
    if (status === 403 && headers.get('x-ratelimit-remaining') === '0')
      return refuse('unavailable', `${label} allows no more requests at the moment.`)
    return refuse(
      'misconfigured',
      `${label} answers with HTTP ${status} at ${api}${plain(path)}${why}.`,
      'Check url and apiUrl. A GitHub App needs read access to e-mail addresses and organization members.',
    )
  }

  /** Only a page of the same API: the token must not go anywhere else. */
  function nextPage(link: string | null): string | undefined {
    const target = /<([^>]*)>;\s*rel="next"/.exec(link ?? '')?.[1]
    if (target === undefined) return undefined
    if (target.startsWith(`${api}/`)) return target.slice(api.length)
    throw refuse(
      'misconfigured',
      `${label} continues a list on another server than ${api}.`,
      'Correct apiUrl.',
    )
  }
}

const Said = z.object({ message: z.string() })

const HEADERS = {
  accept: 'application/vnd.github+json',
  'x-github-api-version': '2022-11-28',
  'user-agent': 'OpenTaco',
}

function plain(path: string): string {
  return path.split('?')[0] ?? ''
}

/** Without a token: whether there is such an API at all. */
export async function checkApi(settings: GithubSettings, send: Send, refuse: Refuse): Promise<string> {
  const api = apiUrlOf(settings)
  const answer = await send(`${api}/user`, { headers: HEADERS })
  if (answer.status === 401 && Said.safeParse(await answer.json().catch(() => undefined)).success) return api
  throw refuse('misconfigured', `There is no GitHub API at ${api}.`, 'Correct url, or set apiUrl.')
}
