import type { IncomingMessage, ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import { type Certificate, certificateFor } from '../rig/certificate.ts'
import { readForm, sendHtml, serveOnLoopback } from './loopback.ts'

export interface SamlUser {
  readonly attributes?: Readonly<Record<string, string | readonly string[]>>
}

/** What an answer says, where a test wants it to differ. */
export interface SamlAnswer {
  readonly nameIdFormat?: string
  /** Within the NameID element, as XML. */
  readonly nameIdXml?: string
  readonly issuer?: string
  readonly audience?: string
  readonly recipient?: string
  readonly inResponseTo?: string
  /** Of the confirmation within the assertion only; null for none. */
  readonly confirmedInResponseTo?: string | null
  readonly confirmedUntil?: string | null
  readonly notBefore?: Date
  readonly notOnOrAfter?: Date
  /** In place of an assertion. */
  readonly status?: readonly string[]
  readonly attributes?: Readonly<Record<string, string | readonly string[]>>
  readonly isUnsigned?: boolean
  readonly isResponseSigned?: boolean
  readonly isForged?: boolean
  readonly isSha1?: boolean
  /** PEM: encrypted to this certificate. */
  readonly encryptTo?: string
}

export interface SamlPeer {
  readonly url: string
  readonly metadataUrl: string
  readonly entityId: string
  readonly signInUrl: string
  readonly certificate: string
  setUser(name: string, user: SamlUser): void
  /** The form that the provider lets the browser post to OpenTaco. The NameID is the name. */
  signIn(url: string, name: string, answer?: SamlAnswer): Promise<URLSearchParams>
  cancel(url: string): Promise<URLSearchParams>
  setDown(isDown: boolean): void
  dispose(): Promise<void>
}

/** What is used of samlify. Its own types bring those of browsers along, which clash with Node's in the whole project. */
interface Samlify {
  readonly Constants: {
    readonly namespace: { readonly binding: Readonly<Record<'redirect' | 'post', string>> }
  }
  setSchemaValidator(validator: { validate(): Promise<unknown> }): void
  IdentityProvider(settings: object): SamlifyIdp
  ServiceProvider(settings: object): object
}
interface SamlifyIdp {
  getMetadata(): string
  parseLoginRequest(sp: object, binding: string, req: { readonly query: object }): Promise<SamlifyRequest>
  createLoginResponse(
    sp: object,
    request: SamlifyRequest,
    binding: string,
    user: object,
    options: { customTagReplacement(): { readonly id: string; readonly context: string } },
  ): Promise<{ readonly context: string }>
}
interface SamlifyRequest {
  readonly extract: { readonly issuer: string; readonly request: Readonly<Record<string, string>> }
}

const require = createRequire(import.meta.url)
const samlify = require('samlify') as Samlify
const { Constants, IdentityProvider, ServiceProvider } = samlify
const RSA_SHA256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256'
const RSA_SHA1 = 'http://www.w3.org/2000/09/xmldsig#rsa-sha1'
const PERSISTENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent'
const DAY_MS = 24 * 3_600_000

// Requests are read, not judged.
samlify.setSchemaValidator({ validate: () => Promise.resolve('not validated') })

/** A SAML identity provider (npm: samlify) on loopback. Its sign-in page works in a browser. */
export async function startSaml(): Promise<SamlPeer> {
  const users = new Map<string, SamlUser>()
  const own = rsaCertificate()
  const forged = rsaCertificate()
  const server = await serveOnLoopback((url) => (req, res) => void serve(url, req, res))
  const { url } = server
  const entityId = `${url}/entity`
  const signInUrl = `${url}/sso`

  const idpWith = (answer: SamlAnswer, { key, cert }: Certificate) =>
    IdentityProvider({
      entityID: entityId,
      privateKey: key,
      signingCert: cert,
      requestSignatureAlgorithm: answer.isSha1 === true ? RSA_SHA1 : RSA_SHA256,
      isAssertionEncrypted: answer.encryptTo !== undefined,
      messageSigningOrder: 'sign-then-encrypt',
      nameIDFormat: [PERSISTENT],
      singleSignOnService: [{ Binding: Constants.namespace.binding.redirect, Location: signInUrl }],
      singleLogoutService: [{ Binding: Constants.namespace.binding.redirect, Location: `${url}/slo` }],
    })

  async function serve(base: string, req: IncomingMessage, res: ServerResponse): Promise<void> {
    const asked = new URL(req.url ?? '/', base)
    if (asked.pathname === '/metadata')
      return void res
        .writeHead(200, { 'content-type': 'application/samlmetadata+xml' })
        .end(idpWith({}, own).getMetadata())
    if (asked.pathname !== '/sso') return void res.writeHead(404).end()
    if (req.method !== 'POST')
      return sendHtml(
        res,
        `<title>Sign in to the test provider</title><form method="post"><label>Name <input name="login"></label>
<button>Sign in</button></form>`,
      )
    const name = (await readForm(req)).get('login') ?? ''
    const { acs, form } = await respond(asked.href, name, {})
    // Scripts may be off, so there is a button too.
    sendHtml(
      res,
      `<title>Continue</title><form method="post" action="${escaped(acs)}">
<input type="hidden" name="SAMLResponse" value="${form.get('SAMLResponse')}"><button>Continue</button></form>
<script>document.forms[0].submit()</script>`,
    )
  }

  async function respond(href: string, name: string, answer: SamlAnswer) {
    const query = Object.fromEntries(new URL(href).searchParams)
    const anyone = ServiceProvider({ authnRequestsSigned: false })
    const request = await idpWith({}, own).parseLoginRequest(anyone, 'redirect', { query })
    const { issuer: audience, request: asked } = request.extract
    const acs = asked['assertionConsumerServiceUrl'] ?? ''
    const sp = ServiceProvider({
      entityID: audience,
      assertionConsumerService: [{ Binding: Constants.namespace.binding.post, Location: acs }],
      wantAssertionsSigned: answer.isUnsigned !== true && answer.status === undefined,
      wantMessageSigned: answer.isResponseSigned === true,
      ...(answer.encryptTo === undefined ? {} : { encryptCert: answer.encryptTo }),
    })
    const xml = responseXml({
      ...answer,
      name,
      issuer: answer.issuer ?? entityId,
      audience: answer.audience ?? audience,
      recipient: answer.recipient ?? acs,
      inResponseTo: answer.inResponseTo ?? asked['id'] ?? '',
      attributes: answer.attributes ?? users.get(name)?.attributes ?? {},
    })
    const idp = idpWith(answer, answer.isForged === true ? forged : own)
    const { context } = await idp.createLoginResponse(
      sp,
      request,
      'post',
      {},
      { customTagReplacement: () => xml },
    )
    return { acs, form: new URLSearchParams({ SAMLResponse: context }) }
  }

  return {
    url,
    metadataUrl: `${url}/metadata`,
    entityId,
    signInUrl,
    certificate: own.cert,
    setUser: (name, user) => void users.set(name, user),
    signIn: async (href, name, answer = {}) => (await respond(href, name, answer)).form,
    cancel: async (href) => (await respond(href, '', { status: ['Responder', 'RequestDenied'] })).form,
    setDown: server.setDown,
    dispose: server.dispose,
  }
}

export function rsaCertificate(until = new Date(Date.now() + 365 * DAY_MS)): Certificate {
  return certificateFor(['localhost'], new Date(Date.now() - DAY_MS), until, 'rsa')
}

interface SaidBySaml extends SamlAnswer {
  readonly name: string
  readonly issuer: string
  readonly audience: string
  readonly recipient: string
  readonly inResponseTo: string
}

let made = 0

function responseXml(said: SaidBySaml): { readonly id: string; readonly context: string } {
  const id = `_response-${++made}`
  const now = new Date()
  const issued = now.toISOString()
  const until = said.notOnOrAfter ?? new Date(now.getTime() + 300_000)
  const issuer = `<saml:Issuer>${escaped(said.issuer)}</saml:Issuer>`
  const status = (said.status ?? ['Success']).reduceRight(
    (inner, code) =>
      `<samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:${code}">${inner}</samlp:StatusCode>`,
    '',
  )
  const confirmation = [
    attribute('Recipient', said.recipient),
    attribute(
      'InResponseTo',
      said.confirmedInResponseTo === undefined ? said.inResponseTo : said.confirmedInResponseTo,
    ),
    attribute('NotOnOrAfter', said.confirmedUntil === undefined ? until.toISOString() : said.confirmedUntil),
  ].join('')
  const assertion = `<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" ID="_assertion-${made}" Version="2.0" IssueInstant="${issued}">${issuer}<saml:Subject><saml:NameID Format="${said.nameIdFormat ?? PERSISTENT}">${said.nameIdXml ?? escaped(said.name)}</saml:NameID><saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData${confirmation}/></saml:SubjectConfirmation></saml:Subject><saml:Conditions NotBefore="${(said.notBefore ?? now).toISOString()}" NotOnOrAfter="${until.toISOString()}"><saml:AudienceRestriction><saml:Audience>${escaped(said.audience)}</saml:Audience></saml:AudienceRestriction></saml:Conditions><saml:AuthnStatement AuthnInstant="${issued}" SessionIndex="_s${made}"><saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>${attributeStatement(said.attributes ?? {})}</saml:Assertion>`
  const context = `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="${id}" Version="2.0" IssueInstant="${issued}" Destination="${escaped(said.recipient)}" InResponseTo="${escaped(said.inResponseTo)}">${issuer}<samlp:Status>${status}</samlp:Status>${said.status === undefined ? assertion : ''}</samlp:Response>`
  return { id, context }
}

function attributeStatement(attributes: Readonly<Record<string, string | readonly string[]>>): string {
  const list = Object.entries(attributes).map(([name, values]) => {
    const texts = [values]
      .flat()
      .map((text) => `<saml:AttributeValue xsi:type="xs:string">${escaped(text)}</saml:AttributeValue>`)
    return `<saml:Attribute Name="${escaped(name)}">${texts.join('')}</saml:Attribute>`
  })
  return list.length === 0 ? '' : `<saml:AttributeStatement>${list.join('')}</saml:AttributeStatement>`
}

function attribute(name: string, value: string | null): string {
  return value === null ? '' : ` ${name}="${escaped(value)}"`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
