import { randomBytes, X509Certificate } from 'node:crypto'
import {
  type Profile,
  SAML,
  SamlStatusError,
  ValidateInResponseTo,
  generateServiceProviderMetadata,
} from '@node-saml/node-saml'
import { parseXml2JsFromString } from '@node-saml/node-saml/lib/xml.js'
import { z } from 'zod'
import { isRecent, isoTime } from '../../../../base/clock.ts'
import { admit } from '../../admit.ts'
import { keepsOf } from '../../keep.ts'
import type { IdentityDeps, IdentityProvider } from '../../provider.ts'
import { refusalsOf } from '../../refusals.ts'
import type { SamlSettings } from '../../settings.ts'
import { boundedFetch } from '../bounded-fetch.ts'
import { checkAssertion, identityOf } from './assertion.ts'
import { refusalOfLibrary, refusalOfStatus } from './errors.ts'
import { type Idp, readIdp } from './idp.ts'

const IDP_FOR_MS = 600_000
const MAX_RESPONSE = 1_000_000
const EXPIRES_SOON_MS = 30 * 24 * 3_600_000

const Kept = z.object({ requestId: z.string() })

/** Readable before any signature is checked, so only good for a better message. */
const Unverified = z.object({
  Response: z.object({ $: z.object({ InResponseTo: z.string().optional() }) }),
})

/** SAML 2.0: HTTP-Redirect out, POST in. Only answers to a sign-in that was begun here count. */
export function openSamlProvider(settings: SamlSettings, deps: IdentityDeps): IdentityProvider {
  const { clock, singleUse } = deps
  const { id, kind, label } = settings
  const refuse = refusalsOf(settings)
  const keeps = keepsOf(settings, Kept, { clock, refuse })
  const send = boundedFetch({ label, refuse, fetch: deps.fetch })
  const skewMs = settings.clockSkewSeconds * 1000
  let known: { readonly idp: Idp; readonly at: number } | undefined

  async function findIdp(): Promise<Idp> {
    if (known !== undefined && isRecent(clock, known.at, IDP_FOR_MS)) return known.idp
    const at = clock.now()
    const idp = await readIdp(settings, send, refuse, at)
    known = { idp, at }
    return idp
  }

  const entityIdFor = (redirectUri: string) => settings.entityId ?? new URL('metadata', redirectUri).href

  function samlFor(idp: Idp, redirectUri: string, requestId: string): SAML {
    const entityId = entityIdFor(redirectUri)
    const { signingKey, decryptionKey } = settings
    return new SAML({
      entryPoint: idp.signInUrl,
      idpCert: [...idp.certificates],
      issuer: entityId,
      audience: entityId,
      callbackUrl: redirectUri,
      identifierFormat: settings.nameIdFormat,
      // How a person proves who they are is the provider's business.
      disableRequestedAuthnContext: true,
      wantAssertionsSigned: true,
      wantAuthnResponseSigned: settings.wantResponseSigned,
      acceptedClockSkewMs: skewMs,
      signatureAlgorithm: 'sha256',
      generateUniqueId: () => requestId,
      ...(signingKey === undefined ? {} : { privateKey: signingKey }),
      ...(decryptionKey === undefined ? {} : { decryptionPvk: decryptionKey }),
      validateInResponseTo: ValidateInResponseTo.always,
      // The browser remembers the request, in `keep`.
      cacheProvider: {
        saveAsync: () => Promise.resolve(null),
        getAsync: (asked) => Promise.resolve(asked === requestId ? isoTime(Date.now()) : null),
        removeAsync: () => Promise.resolve(null),
      },
    })
  }

  async function verify(saml: SAML, response: string, requestId: string): Promise<Profile> {
    const xml = Buffer.from(response, 'base64').toString('utf8')
    if (response.length > MAX_RESPONSE || xml.includes('<!DOCTYPE'))
      throw refuse('invalid', `The answer of ${label} is not valid: it is too large or not plain SAML.`)
    const unverified = Unverified.safeParse(await parseXml2JsFromString(xml).catch(() => undefined))
    if (!unverified.success)
      throw refuse('invalid', `The answer of ${label} is not valid: it is not a SAML response.`)
    if (unverified.data.Response.$.InResponseTo !== requestId)
      throw refuse('not-started', `The answer of ${label} is for another sign-in.`)
    // Not for security alone: administrators should learn that their provider still signs with SHA-1.
    if (/SignatureMethod[^>]*(rsa-sha1|hmac)/.test(xml))
      throw refuse(
        'invalid',
        `The answer of ${label} is not valid: it is signed with an outdated algorithm.`,
        'Let the provider sign with RSA and SHA-256.',
      )
    try {
      const { profile } = await saml.validatePostResponseAsync({ SAMLResponse: response })
      if (profile !== null) return profile
    } catch (error) {
      if (error instanceof SamlStatusError) throw refusalOfStatus(error, label, refuse)
      throw refusalOfLibrary(error, label, refuse)
    }
    throw refuse('denied', `${label} did not sign you in.`)
  }

  return {
    id,
    kind,
    label,
    answersBy: 'post',

    async begin({ redirectUri }) {
      const requestId = `_${randomBytes(20).toString('hex')}`
      const saml = samlFor(await findIdp(), redirectUri, requestId)
      return { url: await saml.getAuthorizeUrlAsync('', undefined, {}), keep: keeps.write({ requestId }) }
    },

    async complete({ redirectUri, form, keep }) {
      const { requestId } = keeps.read(keep)
      const response = form?.get('SAMLResponse') ?? ''
      if (response === '') throw refuse('not-started', `The answer of ${label} has no SAMLResponse.`)
      const idp = await findIdp()
      const profile = await verify(samlFor(idp, redirectUri, requestId), response, requestId)
      const checked = checkAssertion(profile.getAssertion?.(), {
        issuer: idp.issuer,
        recipient: redirectUri,
        inResponseTo: requestId,
        now: clock.now(),
        skewMs,
      })
      if (!checked.isValid) throw refuse('invalid', `The answer of ${label} is not valid: ${checked.why}.`)
      if (!(await singleUse.claim(`saml ${id} ${idp.issuer} ${checked.id}`, checked.until)))
        throw refuse('replayed', `The answer of ${label} was used before.`)
      const attributes = profile['attributes'] as Record<string, unknown> | undefined
      const subject = {
        nameId: profile.nameID,
        nameIdFormat: profile.nameIDFormat,
        attributes: attributes ?? {},
      }
      return admit(settings, identityOf(settings, subject, refuse), refuse)
    },

    metadata({ redirectUri }) {
      const { signingKey, signingCertificate, decryptionKey, decryptionCertificate } = settings
      return Promise.resolve(
        generateServiceProviderMetadata({
          issuer: entityIdFor(redirectUri),
          callbackUrl: redirectUri,
          identifierFormat: settings.nameIdFormat,
          wantAssertionsSigned: true,
          ...(signingKey === undefined ? {} : { privateKey: signingKey }),
          ...(signingCertificate === undefined ? {} : { publicCerts: signingCertificate }),
          ...(decryptionKey === undefined ? {} : { decryptionPvk: decryptionKey }),
          ...(decryptionCertificate === undefined ? {} : { decryptionCert: decryptionCertificate }),
        }),
      )
    },

    async check({ redirectUri }) {
      known = undefined
      const idp = await findIdp()
      await send(idp.signInUrl)
      const ends = idp.certificates
        .map((pem) => new X509Certificate(pem).validTo)
        .map((text) => Date.parse(text))
      const last = Math.max(...ends)
      return {
        facts: {
          Issuer: idp.issuer,
          'Sign-in URL': idp.signInUrl,
          'Signing certificates': `${ends.length}, valid until ${isoTime(last).slice(0, 10)}`,
          'Entity id of OpenTaco': entityIdFor(redirectUri),
          'Assertion consumer service to register': redirectUri,
        },
        warnings:
          last < clock.now() + EXPIRES_SOON_MS
            ? [
                `The signing certificate of ${label} expires on ${isoTime(last).slice(0, 10)}, or has expired.`,
              ]
            : [],
      }
    },
  }
}
