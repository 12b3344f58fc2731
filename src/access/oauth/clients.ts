import { oauthError } from './oauth-error.ts'

/** A program that may ask for a token. All are public clients: PKCE or the device code proves that it is the one that asked. */
export interface OAuthClient {
  readonly id: string
  /** What people call it. */
  readonly label: string
  /** False: a callback with an error would be ignored, so the page has to report the error. */
  readonly takesErrors: boolean
  readonly mayUseDevices: boolean
  isRedirect(uri: URL): boolean
}

/** The largest port is not used: both engines treat it as exclusive. */
export const TERRAFORM_PORTS = [10_000, 10_010] as const

const CLIENTS: readonly OAuthClient[] = [
  {
    // OpenTofu reads its client id from the same discovery document.
    id: 'terraform-cli',
    label: 'Terraform or OpenTofu',
    takesErrors: false,
    mayUseDevices: false,
    isRedirect: ({ hostname, port, pathname }) =>
      hostname === 'localhost' &&
      pathname === '/login' &&
      Number(port) >= TERRAFORM_PORTS[0] &&
      Number(port) < TERRAFORM_PORTS[1],
  },
  {
    id: 'taco-cli',
    label: 'taco',
    takesErrors: true,
    mayUseDevices: true,
    // RFC 8252 section 7.3: any port of the loopback address.
    isRedirect: ({ hostname, port, pathname }) =>
      hostname === '127.0.0.1' && pathname === '/callback' && Number(port) >= 1024,
  },
]

export function clientOf(id: string): OAuthClient {
  const client = CLIENTS.find((one) => one.id === id)
  if (client !== undefined) return client
  throw oauthError(
    'invalid_client',
    'The client id is unknown.',
    'Use `taco login`, `terraform login` or `tofu login`.',
  )
}

/** Compared by its parts: what comes before or after them could lead the code elsewhere. */
export function checkRedirect(client: OAuthClient, text: string): string {
  const uri = URL.canParse(text) ? new URL(text) : undefined
  const isPlain = uri !== undefined && uri.protocol === 'http:' && uri.href === text
  if (isPlain && uri.search === '' && uri.hash === '' && uri.username === '' && client.isRedirect(uri))
    return text
  throw oauthError(
    'invalid_request',
    `The redirect URI is not one of ${client.label}.`,
    'Start again from the command line. Do not change the address in the browser.',
  )
}
