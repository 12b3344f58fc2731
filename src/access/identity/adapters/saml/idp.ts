import { X509Certificate } from 'node:crypto'
import { parseXml2JsFromString } from '@node-saml/node-saml/lib/xml.js'
import { z } from 'zod'
import type { Refuse } from '../../refusals.ts'
import type { SamlSettings } from '../../settings.ts'
import type { Send } from '../bounded-fetch.ts'

/** What must be known of the identity provider. */
export interface Idp {
  readonly issuer: string
  readonly signInUrl: string
  /** PEM. */
  readonly certificates: readonly string[]
}

const REDIRECT = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect'

/** XML as the library reads it: elements are lists, attributes are in `$`, text is in `_`. */
const Certificate = z.object({ _: z.string() })
const Key = z.object({
  $: z.object({ use: z.string().optional() }).optional(),
  KeyInfo: z.tuple([
    z.object({ X509Data: z.array(z.object({ X509Certificate: z.array(Certificate) })).optional() }),
  ]),
})
const Entity = z.object({
  $: z.object({ entityID: z.string().min(1), validUntil: z.string().optional() }),
  IDPSSODescriptor: z.tuple([
    z.object({
      KeyDescriptor: z.array(Key).default([]),
      SingleSignOnService: z.array(z.object({ $: z.object({ Binding: z.string(), Location: z.string() }) })),
    }),
  ]),
})
const Metadata = z.union([
  z.object({ EntityDescriptor: Entity }),
  z.object({ EntitiesDescriptor: z.object({ EntityDescriptor: z.tuple([Entity]) }) }),
])

export async function readIdp(settings: SamlSettings, send: Send, refuse: Refuse, now: number): Promise<Idp> {
  const { label, issuer, signInUrl, certificates, metadataXml, metadataUrl } = settings
  if (issuer !== undefined && signInUrl !== undefined && certificates !== undefined)
    return { issuer, signInUrl, certificates }
  if (metadataXml !== undefined) return await parseIdp(metadataXml, 'metadataXml')
  return await parseIdp(await download(metadataUrl ?? ''), `The answer of ${metadataUrl}`)

  async function download(url: string): Promise<string> {
    const answer = await send(url, { headers: { accept: 'application/samlmetadata+xml, application/xml' } })
    if (answer.ok) return await answer.text()
    throw refuse(
      'misconfigured',
      `${label} answers with HTTP ${answer.status} at ${url}.`,
      'Correct metadataUrl, or paste the metadata into metadataXml.',
    )
  }

  async function parseIdp(xml: string, what: string): Promise<Idp> {
    const parsed = Metadata.safeParse(await parseXml2JsFromString(xml).catch(() => undefined))
    if (!parsed.success)
      throw refuse(
        'misconfigured',
        `${what} is not the SAML metadata of one identity provider.`,
        'Use the metadata that the provider offers for this application (an EntityDescriptor with an IDPSSODescriptor).',
      )
    const entity =
      'EntityDescriptor' in parsed.data
        ? parsed.data.EntityDescriptor
        : parsed.data.EntitiesDescriptor.EntityDescriptor[0]
    const { entityID, validUntil } = entity.$
    if (validUntil !== undefined && !(Date.parse(validUntil) > now))
      throw refuse(
        'misconfigured',
        `The metadata of ${label} expired at ${validUntil}.`,
        'Get the current metadata.',
      )
    const [descriptor] = entity.IDPSSODescriptor
    const service = descriptor.SingleSignOnService.find(({ $ }) => $.Binding === REDIRECT)
    if (service === undefined)
      throw refuse(
        'misconfigured',
        `${label} does not take sign-in requests by HTTP-Redirect.`,
        'Enable the HTTP-Redirect binding at the provider.',
      )
    const found = descriptor.KeyDescriptor.filter(({ $ }) => $?.use !== 'encryption')
      .flatMap(({ KeyInfo: [info] }) => info.X509Data ?? [])
      .flatMap(({ X509Certificate: list }) => list.map(({ _ }) => pemOf(_)))
    if (found.length === 0 || !found.every(isCertificate))
      throw refuse('misconfigured', `The metadata of ${label} has no usable signing certificate.`)
    return { issuer: entityID, signInUrl: service.$.Location, certificates: found }
  }
}

function pemOf(base64: string): string {
  const lines = base64.replaceAll(/\s/g, '').replaceAll(/.{64}(?=.)/g, '$&\n')
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).publicKey.asymmetricKeyType === 'rsa'
  } catch {
    return false
  }
}
