import { timingSafeEqual } from 'node:crypto'
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { TacoError, messageOf } from '../../../../base/errors.ts'
import type { Client } from '../../api/client.ts'
import type { Session } from '../../session.ts'
import { newPkce, randomText } from './pkce.ts'
import { callbackPage } from './callback-page.ts'
import type { SignIn } from './server.ts'
import { CLIENT_ID, requestToken } from './token-request.ts'

/** Longer than finding the second factor takes. */
const WAIT_MS = 10 * 60_000

/** Authorization code with PKCE; the browser brings the code to a port of this machine (RFC 8252). */
export async function browserLogin(
  session: Session,
  client: Client,
  { url }: SignIn,
  options: { readonly machine: string; readonly opensBrowser: boolean },
): Promise<string> {
  const { output, world, signal } = session
  const { verifier, challenge } = newPkce()
  const state = randomText()
  const callback = await listen(state, session)
  try {
    const page = new URL(`${url.replace(/\/+$/, '')}/oauth/authorization`)
    page.search = new URLSearchParams({
      response_type: 'code',
      client_id: CLIENT_ID,
      redirect_uri: callback.redirectUri,
      code_challenge: challenge,
      code_challenge_method: 'S256',
      state,
      machine: options.machine,
    }).toString()
    const isOpen = options.opensBrowser && (await world.openBrowser(page.href))
    const says = isOpen
      ? 'Your browser should show this page now. If it does not, open it yourself:'
      : 'Open this page in a browser on this machine:'
    world.stderr.write(`${says}\n\n  ${page.href}\n\n`)
    if (!isOpen) output.note('No browser here? `taco login --device` works with one on another machine.')
    output.note('Waiting for the browser. Press Ctrl-C to give up.')
    const { code, answer } = await callback.code
    try {
      const token = await requestToken(
        client,
        {
          grant_type: 'authorization_code',
          code,
          redirect_uri: callback.redirectUri,
          code_verifier: verifier,
        },
        signal,
      )
      answer('signed-in')
      return token
    } catch (error) {
      answer('failed', messageOf(error))
      throw error
    }
  } finally {
    callback.close()
  }
}

type Ending = Parameters<typeof callbackPage>[0]

interface Callback {
  readonly redirectUri: string
  /** `answer` says in the browser how it went on. */
  readonly code: Promise<{
    readonly code: string
    answer(ending: Ending, detail?: string): void
  }>
  close(): void
}

async function listen(state: string, { signal }: Session): Promise<Callback> {
  const server = createServer()
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  const code = new Promise<Awaited<Callback['code']>>((resolve, reject) => {
    const late = setTimeout(() => reject(tooLate()), WAIT_MS)
    late.unref()
    signal.addEventListener('abort', () => server.close())
    server.on('request', (request, response) => {
      const query = queryOf(request, port)
      const error = query?.get('error')
      const found = query?.get('code')
      if (!isSame(query?.get('state'), state) || (!error && !found)) return reply(response, 400, 'unknown')
      clearTimeout(late)
      if (found) resolve({ code: found, answer: (...says) => reply(response, 200, ...says) })
      else {
        const isDenied = error === 'access_denied'
        reply(response, 200, isDenied ? 'denied' : 'failed', query?.get('error_description') ?? undefined)
        reject(isDenied ? denied() : refused(query?.get('error_description') ?? String(error)))
      }
    })
  })
  // The page is opened before anyone waits for this.
  code.catch(() => {})
  return {
    redirectUri: `http://127.0.0.1:${port}/callback`,
    code,
    close() {
      server.close()
      server.closeIdleConnections()
      setTimeout(() => server.closeAllConnections(), 500).unref()
    },
  }
}

/** Undefined: it is for another address. */
function queryOf({ method, url, headers }: IncomingMessage, port: number): URLSearchParams | undefined {
  if (method !== 'GET' || headers.host !== `127.0.0.1:${port}`) return undefined
  const [path, query] = (url ?? '').split('?', 2)
  return path === '/callback' ? new URLSearchParams(query) : undefined
}

function isSame(given: string | null | undefined, wanted: string): boolean {
  const bytes = Buffer.from(given ?? '')
  return bytes.length === wanted.length && timingSafeEqual(bytes, Buffer.from(wanted))
}

function reply(response: ServerResponse, status: number, ending: Ending, detail?: string): void {
  const { headers, body } = callbackPage(ending, detail)
  response.writeHead(status, { ...headers, connection: 'close' })
  response.end(body)
}

function tooLate(): TacoError {
  return new TacoError('CANCELLED', 'The sign-in was not completed within 10 minutes.', {
    hint: 'Run `taco login` again. On a machine without a browser use `taco login --device`.',
    facts: { exitCode: 1 },
  })
}

export function denied(): TacoError {
  return new TacoError('FORBIDDEN', 'The sign-in was denied in the browser.', {
    hint: 'Run `taco login` again and allow it.',
  })
}

function refused(why: string): TacoError {
  return new TacoError('FORBIDDEN', `The server refused the sign-in: ${why.replace(/\.$/, '')}.`, {
    hint: 'Run `taco login` again.',
  })
}
