import type { Clock } from '../../src/base/clock.ts'
import { systemClock } from '../../src/base/clock.ts'
import { type Guard, openGuard, tokenGuard } from '../../src/entry/http/auth/auth.ts'
import { createRootSessions } from '../../src/entry/http/web/sign-in/root-sessions.ts'
import { type WebOptions, openWebFace } from '../../src/entry/http/open-web.ts'
import { signInWorld } from '../support/sign-in.ts'
import { type Answer, type FaceOptions, type TestFace, startFace } from './http-face.ts'

export const rootToken = 'the-root-token-of-this-test-0123456789'

function rootSessionsOf(auth: WebOptions['auth'], guard: Guard) {
  return auth === 'token' ? createRootSessions(rootToken, guard, systemClock) : undefined
}

/** A face with pages. */
export async function startWebFace({
  bucket,
  ...options
}: Partial<WebOptions> & Pick<FaceOptions, 'bucket'> = {}): Promise<TestFace> {
  const { auth = 'none' } = options
  const guard: Guard = auth === 'none' ? openGuard() : tokenGuard({ token: rootToken, clock: systemClock })
  return startFace({
    ...(bucket && { bucket }),
    guard,
    // The sign-in services of the face are not those of the pages, which the test gives.
    complete: async ({ signIn: _, ...deps }) => ({
      faces: [await openWebFace({ ...deps, auth, rootSessions: rootSessionsOf(auth, guard), ...options })],
    }),
  })
}

/** A face to which people sign in. */
export async function startSignInFace(
  options: Parameters<typeof signInWorld>[0] & { readonly clock?: Clock } = {},
) {
  const world = signInWorld(options)
  const publicUrl = options.publicUrl ?? 'https://taco.example'
  const face = await startWebFace({ auth: 'sso', publicUrl, signIn: world, clock: world.clock })
  return { ...world, face, browser: () => createTestBrowser(face) }
}

export interface Page extends Answer {
  readonly location: string | undefined
}

/** Keeps cookies, and fills in the forms of the page that it shows. It follows no redirects. */
export function createTestBrowser(face: Pick<TestFace, 'send'>) {
  const cookies = new Map<string, string>()
  let csrf = ''

  async function send(
    method: string,
    path: string,
    sent: { body?: string; headers?: Record<string, string> },
  ) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = {
      accept: 'text/html',
      'user-agent': 'Mozilla/5.0 (X11; Linux) Firefox/140',
      ...sent.headers,
    }
    const answer = await face.send(path, {
      method,
      headers: cookie === '' ? headers : { ...headers, cookie },
      ...(sent.body === undefined ? {} : { body: sent.body }),
    })
    for (const text of answer.headers['set-cookie'] ?? []) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(text) ?? []
      if (/; Max-Age=0\b/.test(text)) cookies.delete(name)
      else cookies.set(name, value)
    }
    csrf = /name="csrf" value="([^"]+)"/.exec(answer.text)?.[1] ?? csrf
    return { ...answer, location: answer.headers.location }
  }

  return {
    cookies,
    get: (path: string, headers: Record<string, string> = {}): Promise<Page> =>
      send('GET', path, { headers }),
    /** With the CSRF token of the last page, unless told another. */
    submit: (
      path: string,
      fields: Record<string, string> = {},
      headers: Record<string, string> = {},
    ): Promise<Page> =>
      send('POST', path, {
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
        body: String(new URLSearchParams({ csrf, ...fields })),
      }),
    async signIn(path = '/sign-in/corp') {
      await this.get(path)
      return this.get('/sign-in/corp/callback?code=good')
    },
  }
}
