import { chmod, link, mkdir, readFile, rm } from 'node:fs/promises'
import { isIP } from 'node:net'
import { join } from 'node:path'
import type { Clock } from '../../base/clock.ts'
import { TacoError, reasonOf } from '../../base/errors.ts'
import { besides, writePrivately } from '../../base/host/private-file.ts'
import type { Log } from '../../base/log.ts'
import type { CertificateFiles } from './certificate-files.ts'
import {
  type Issued,
  createAuthority,
  hashOfNames,
  issueServerCertificate,
  readIssued,
} from './local-authority.ts'

export interface LocalOptions {
  /** Made if it is missing, for its owner only. */
  readonly folder: string
  readonly names: readonly string[]
}

const ALWAYS = ['localhost', '127.0.0.1', '::1']
const DAY_MS = 86_400_000
const RENEW_BEFORE_MS = 30 * DAY_MS
const LOOK_EVERY_MS = DAY_MS / 4

/** A certificate of the local authority; both are made if needed, and renewed in time. */
export async function openLocalCertificate(
  options: LocalOptions,
  { log, clock }: { readonly log: Log; readonly clock: Clock },
): Promise<CertificateFiles & { close(): void }> {
  const renew = async () => {
    try {
      await localCertificate(options, clock.now())
    } catch (error) {
      log.warn('the TLS certificate cannot be renewed', { error })
    }
  }
  const file = await localCertificate(options, clock.now())
  const renewing = setInterval(() => void renew(), LOOK_EVERY_MS)
  renewing.unref()
  return { cert: file, key: file, close: () => clearInterval(renewing) }
}

/** The file with a certificate for these names and its key. Whoever serves from it finds it replaced after a renewal. */
export async function localCertificate({ folder, names }: LocalOptions, now: number): Promise<string> {
  const all = [...new Set([...ALWAYS, ...names])]
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await chmod(folder, 0o700)
    const authority = await authorityOf(folder, now)
    const file = join(folder, `server-${hashOfNames(all)}.pem`)
    const known = await textIfThere(file)
    if (known === undefined) await publish(file, (await issueServerCertificate(authority, all, now)).pem)
    else if (!isGood(known, authority, all, now))
      writePrivately(file, (await issueServerCertificate(authority, all, now)).pem)
    return file
  } catch (cause) {
    if (cause instanceof TacoError) throw cause
    throw new TacoError('BAD_REQUEST', `Cannot create a certificate in ${folder}: ${reasonOf(cause)}.`, {
      facts: { field: 'tls' },
      hint: 'Make the folder writable, choose another one with XDG_DATA_HOME, or use --tls-cert and --tls-key.',
      cause,
    })
  }
}

/** The authority of this folder, and its certificate alone in `ca.crt`, for those who are to trust it. */
async function authorityOf(folder: string, now: number): Promise<Issued> {
  const file = join(folder, 'ca.pem')
  let authority = await readAuthority(file)
  if (authority !== undefined && now > Date.parse(authority.certificate.validTo) - RENEW_BEFORE_MS) {
    await rm(file, { force: true })
    authority = undefined
  }
  if (authority === undefined) {
    const name = `OpenTaco local CA ${new Date(now).toISOString().slice(0, 10)}`
    await publish(file, (await createAuthority(name, now)).pem)
    authority = await readAuthority(file)
    if (authority === undefined) throw new Error('another program deletes its files')
  }
  const certificate = authority.certificate.toString()
  const shown = join(folder, 'ca.crt')
  if ((await textIfThere(shown)) !== certificate) writePrivately(shown, certificate)
  return authority
}

async function readAuthority(file: string): Promise<Issued | undefined> {
  const pem = await textIfThere(file)
  try {
    return pem === undefined ? undefined : readIssued(pem)
  } catch (cause) {
    throw new TacoError(
      'BAD_REQUEST',
      `The local certificate authority in ${file} is damaged: ${reasonOf(cause)}.`,
      {
        facts: { field: 'tls' },
        hint: 'Delete the file. The next start creates a new authority, which you must trust again: see `taco tls trust`.',
        cause,
      },
    )
  }
}

async function textIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

/** Of several servers that start at once, the first one's counts. */
async function publish(file: string, text: string): Promise<void> {
  const temporary = besides(file)
  writePrivately(temporary, text)
  try {
    await link(temporary, file)
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  } finally {
    await rm(temporary, { force: true })
  }
}

/** Another one is issued for one that is damaged. */
function isGood(pem: string, authority: Issued, names: readonly string[], now: number): boolean {
  try {
    const { certificate } = readIssued(pem)
    return (
      certificate.verify(authority.certificate.publicKey) &&
      now < Date.parse(certificate.validTo) - RENEW_BEFORE_MS &&
      names.every((name) => (isIP(name) === 0 ? certificate.checkHost(name) : certificate.checkIP(name)))
    )
  } catch {
    return false
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
