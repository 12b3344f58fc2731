import type { TacoError } from '../../base/errors.ts'
import { isTacoError } from '../../base/errors.ts'
import type { DoctorFinding } from '../views/views.ts'

export type Say = (
  level: DoctorFinding['level'],
  check: string,
  message: string,
  hint?: string,
  repaired?: boolean,
) => DoctorFinding

/** Findings about one unit, or about the bucket (null). */
export function finder(unit: string | null): Say {
  return (level, check, message, hint, repaired = false) => ({
    level,
    check,
    message,
    hint: hint ?? null,
    unit,
    org: null,
    repaired,
  })
}

/** Findings of one organization. */
export async function* inOrg(
  org: string,
  findings: AsyncIterable<DoctorFinding>,
): AsyncGenerator<DoctorFinding> {
  for await (const finding of findings) yield { ...finding, org }
}

export const FROM_BACKUP = 'Restore the object from a backup of the bucket.'

export function fromBackupOr(other: string): string {
  return `Restore the object from a backup of the bucket, or ${other}.`
}

/** Errors send people to doctor. Doctor itself can only report that the object is damaged. */
export function remedyOf(error: TacoError): string | undefined {
  return error.code === 'BUCKET_CORRUPT' ? FROM_BACKUP : error.hint
}

/** What is wrong with one unit must not keep the others from being looked at. */
export function uncheckedUnit(name: string | null, error: unknown): DoctorFinding {
  if (!isTacoError(error) || error.code === 'CANCELLED') throw error
  return finder(name)('error', 'unit.check', error.message, remedyOf(error))
}
