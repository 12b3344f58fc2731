import { z } from 'zod'
import { send } from '../kit/response/respond.ts'
import type { Exchange } from '../kit/exchange.ts'
import { type S3Services, rawRoute } from './define.ts'
import { listingOf } from './listing.ts'
import { s3Error } from './s3-error.ts'
import { S3_NAMESPACE, xmlDocument } from './xml.ts'

/** Settings of a bucket that clients ask for. An organization has none of them. */
const OTHERS = [
  'accelerate',
  'acl',
  'analytics',
  'cors',
  'encryption',
  'intelligent-tiering',
  'inventory',
  'lifecycle',
  'logging',
  'metrics',
  'notification',
  'object-lock',
  'ownershipControls',
  'policy',
  'policyStatus',
  'publicAccessBlock',
  'replication',
  'requestPayment',
  'tagging',
  'uploads',
  'versioning',
  'versions',
  'website',
]

/** Both with and without a slash at the end: clients differ. */
export const bucketRoutes = ['/s3/{org}', '/s3/{org}/'].map((path) =>
  rawRoute({
    method: 'GET',
    path,
    id: path.endsWith('/') ? 's3ListFolder' : 's3List',
    action: 'unit:read',
    tags: ['s3'],
    summary: 'List states by their keys',
    isFiltered: true,
    params: z.object({ org: z.string() }),
    query: z.looseObject({}),
    target: ({ params }) => ({ org: params.org }),
    answers: { 200: { description: 'The states' } },
    async handle({ x, target: { org }, query }, services) {
      const other = OTHERS.find((name) => name in query)
      if (other !== undefined) throw s3Error('NotImplemented', `An organization has no ${other}.`)
      if ('location' in query)
        return sendXml(x, services, xmlDocument('LocationConstraint', {}, S3_NAMESPACE))
      const prefix = typeof query['prefix'] === 'string' ? query['prefix'] : ''
      const states = await services.control.keys.list(org, prefix, x.caller)
      const name = decodeURIComponent(x.path.split('/')[2] ?? org)
      return sendXml(x, services, listingOf(name, states, query))
    },
  }),
)

function sendXml(x: Exchange, { limits }: S3Services, text: string): void {
  send(x, 200, Buffer.from(text), { 'content-type': 'application/xml' }, limits)
}
