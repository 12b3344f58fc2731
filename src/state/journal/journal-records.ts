import { z } from 'zod'
import type { TacoError } from '../../base/errors.ts'
import { isTacoError } from '../../base/errors.ts'
import type { Body, Bucket, DocumentFormat } from '../../bucket/index.ts'
import { bodyOf, readDocument } from '../../bucket/index.ts'
import { Event } from '../documents/model.ts'

/** One record is an object, several are a list: what is written together costs one object. */
const recordsFormat: DocumentFormat<Event | Event[]> = {
  schema: z.union([Event, z.array(Event)]),
  major: 1,
  minor: 0,
}

export function recordsBody(events: readonly Event[]): Body {
  const [only] = events
  return bodyOf(JSON.stringify(events.length === 1 ? only : events))
}

/** Records that cannot be read are given as their error: they must not hide those after them. */
export async function readRecords(
  bucket: Bucket,
  key: string,
): Promise<readonly Event[] | TacoError | undefined> {
  try {
    const records = (await readDocument(bucket, key, recordsFormat))?.value
    return records === undefined || Array.isArray(records) ? records : [records]
  } catch (error) {
    if (isTacoError(error, 'BUCKET_CORRUPT', 'BUCKET_NEWER')) return error
    throw error
  }
}
