import { ROOT, layerPrefix } from '../bucket/index.ts'

/** One object per server that runs on the bucket. */
export const serversPrefix = `${ROOT}servers/`
export const serverKey = (id: string) => `${serversPrefix}${id}.json`
/** The last check of the whole bucket. */
const bucketCheckKey = `${ROOT}checks/bucket.json`
/** The last check of the audit of an organization. */
const auditCheckKey = (org: string) => `${layerPrefix(org, 'checks')}audit.json`

/** What is checked: the whole bucket, or the audit of one organization. */
export type CheckSubject = { readonly kind: 'bucket' } | { readonly kind: 'audit'; readonly org: string }

export function checkKey(subject: CheckSubject): string {
  return subject.kind === 'bucket' ? bucketCheckKey : auditCheckKey(subject.org)
}
