import { TacoError, messageOf } from '../../../base/errors.ts'
import { unreachable } from '../terminal/exit-codes.ts'

/** Why no answer came, in plain words, and what to do about it. */
export function noAnswer(error: unknown, label: string, isFirst = false): TacoError {
  if (error instanceof TacoError) return error
  const [said, hint] = ofCertificate(error, label) ?? ofScheme(error, label, isFirst) ?? ofConnection(error)
  return unreachable(`Cannot reach the server at ${label}: ${said}.`, hint, error)
}

const isPlain = (label: string) => label.startsWith('http:')

/** Many servers answer plain HTTP at a TLS port with a 400 and a sentence; a proxy may hand that on from behind it. */
export function isForTls(text: string, label: string): boolean {
  const said =
    /plain HTTP request was sent to HTTPS|HTTP request to an HTTPS server|speaking plain HTTP to an SSL/i
  return isPlain(label) && said.test(text)
}

export function needsTls(label: string, cause?: unknown): TacoError {
  const hint = `Try ${secure(label)} instead.`
  return unreachable(`Cannot reach the server at ${label}: it expects TLS, not plain HTTP.`, hint, cause)
}

type Said = readonly [said: string, hint: string]

/** Node's codes for certificates with an unknown issuer. */
const unknownIssuer = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
])

function ofCertificate(error: unknown, label: string): Said | undefined {
  const code = codeOf(error)
  if (unknownIssuer.has(code))
    return [
      'this machine does not trust the issuer of its certificate',
      "If it is the right server, save the issuer's certificate to a file and name it with --ca-file or TACO_CA_FILE.",
    ]
  if (code === 'CERT_HAS_EXPIRED')
    return ['its certificate has expired', "Ask its owner to renew it, or set this machine's clock."]
  if (code === 'CERT_NOT_YET_VALID')
    return ['its certificate is not valid yet', "Set this machine's clock, or ask its owner to renew it."]
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return [
      `its certificate is not for ${new URL(label).hostname}${saysNames(error)}`,
      'Use the name in its certificate, or ask its owner to add this name.',
    ]
  return undefined
}

function saysNames(error: unknown): string {
  const names: unknown = Reflect.get(Object(Reflect.get(Object(error), 'cert')), 'subjectaltname')
  return typeof names === 'string' ? ` but for ${names.replaceAll(/(?:DNS|IP Address):/g, '')}` : ''
}

/** A server that is asked over TLS and knows none, or the other way round. */
function ofScheme(error: unknown, label: string, isFirst: boolean): Said | undefined {
  const code = codeOf(error)
  if (/wrong version number|packet length too long/i.test(messageOf(error)))
    return ['it does not speak TLS', `Try ${label.replace(/^https:/, 'http:')} instead.`]
  // A server that has answered before was not asked the wrong way.
  if (!isFirst || !isPlain(label)) return undefined
  if (code === 'HPE_INVALID_CONSTANT')
    return ['it does not speak plain HTTP', `Try ${secure(label)} instead, or check the port.`]
  if (code === 'ECONNRESET')
    return ['it closed the connection without an answer', `If it expects TLS, try ${secure(label)} instead.`]
  return undefined
}

function ofConnection(error: unknown): Said {
  const code = codeOf(error)
  if (code === 'ECONNREFUSED' || code === 'ENOENT')
    return [
      'the connection was refused',
      'Start a server with `taco serve`, choose another with `taco use https://…`, or work without a server: `taco use s3://…` or --bucket.',
    ]
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return ['no such host', 'Check the name, or choose another server with `taco use https://…`.']
  return [messageOf(error) || code, 'Run `taco doctor` to test the connection.']
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

function secure(label: string): string {
  return label.replace(/^http:/, 'https:')
}
