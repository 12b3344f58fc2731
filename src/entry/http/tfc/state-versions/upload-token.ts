import { z } from 'zod'
import type { Principal } from '../../../../access/index.ts'
import type { TfcServices } from '../kit/define.ts'
import { openSignedPart, signedPart } from '../kit/signed-urls.ts'

/** How long a client may take to begin an upload. */
const LIFETIME_MS = 15 * 60_000

/** What an upload is for. It is in the address alone: nothing is stored before the bytes come. */
const Upload = z.object({
  org: z.string(),
  unit: z.string(),
  /** What the id of the version begins with. */
  start: z.string(),
  /** Of the bytes, in hex. */
  md5: z.string(),
  serial: z.number(),
  lineage: z.string().nullable(),
  force: z.boolean(),
  lock: z.string(),
  /** On whose behalf. It was made and signed here, so it is a principal. */
  principal: z.custom<Principal>((value) => typeof value === 'object' && value !== null && 'kind' in value),
})
export type Upload = z.infer<typeof Upload>

type Signing = Pick<TfcServices, 'signer' | 'clock'>

const USES = { state: 'state upload', json: 'state companion' } as const

export function uploadPart({ signer, clock }: Signing, use: keyof typeof USES, upload: Upload): string {
  return signedPart(signer, USES[use], upload, clock.now() + LIFETIME_MS)
}

export function openUpload(signing: Signing, use: keyof typeof USES, part: string): Upload {
  return Upload.parse(openSignedPart(signing, USES[use], part))
}
