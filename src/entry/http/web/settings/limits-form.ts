import { z } from 'zod'
import { badRequest } from '../../../../base/errors.ts'
import { exactBytes, parseBytes } from '../../../../base/text/bytes.ts'
import type { OrgView } from '../../../../state/index.ts'

type Limits = OrgView['limits']

/** As it was typed. Empty: no limit. */
export interface LimitsInput {
  readonly units: string
  readonly versions: string
  readonly bytes: string
}

const typed = z.string().trim().default('')
export const limitsFields = { units: typed, versions: typed, bytes: typed }

export function limitsInputOf({ units, versions, bytes }: Limits): LimitsInput {
  return {
    units: String(units ?? ''),
    versions: String(versions ?? ''),
    bytes: bytes === undefined ? '' : exactBytes(bytes),
  }
}

/** Null: no limit. Throws BAD_REQUEST with the field. Pure. */
export function limitsIn(input: LimitsInput): { readonly [K in keyof Limits]: number | null } {
  return {
    units: countIn('units', input.units, 0),
    versions: countIn('versions', input.versions, 1),
    bytes: bytesIn(input.bytes),
  }
}

/** A whole number of at least `least`, or null for an empty field. Throws BAD_REQUEST with the field. Pure. */
export function countIn(field: string, text: string, least: number): number | null {
  if (text === '') return null
  const count = /^\d{1,15}$/.test(text) ? Number(text) : -1
  if (count >= least) return count
  throw badRequest(field, `"${text}" is not a whole number from ${least} on.`, 'Leave it empty for none.')
}

function bytesIn(text: string): number | null {
  if (text === '') return null
  const size = parseBytes(text)
  if (size !== undefined && Number.isSafeInteger(size)) return size
  throw badRequest(
    'bytes',
    `"${text}" is not a size.`,
    'Write 500MB or 20GB, or leave it empty for no limit.',
  )
}
