import { z } from 'zod'
import type { Action } from '../../../access/index.ts'
import type { Caller } from '../../../state/index.ts'
import type { Exchange } from '../kit/exchange.ts'
import { freeing } from '../kit/freeing.ts'
import { checkFormType, parseForm } from '../kit/request/form.ts'
import { boundaryIn, fieldText, formParts } from '../kit/request/multipart.ts'
import { received, receivedWhole } from '../kit/request/receive.ts'
import { sendReply } from '../kit/response/reply.ts'
import type { Route } from '../kit/routes/route.ts'
import { checkCsrf } from './csrf.ts'
import { type HtmlReply, rawRoute } from './define.ts'
import type { WebServices } from './services.ts'
import { type OrgView, orgViewOf } from './shell/view.ts'

const MOST_FIELD_BYTES = 4 * 1024
const MOST_FIELDS = 20

interface Upload {
  readonly params: { readonly org: string }
  readonly x: Exchange
  readonly caller: Caller
  readonly view: OrgView
  /** Those that come before the file. */
  readonly fields: Readonly<Record<string, string>>
  /** Undefined: no file was chosen. */
  readonly file: AsyncIterable<Uint8Array> | undefined
}

/**
 * What a form with a file does: it gets the file as it comes in. The file must be the last field of the form, which has
 * `enctype="multipart/form-data"`. `path` follows `/app/{org}`.
 */
export function orgUpload({
  path,
  handle,
  ...described
}: {
  readonly path: `/${string}`
  readonly id: string
  readonly action: Action
  readonly summary: string
  handle(request: Upload, services: WebServices): Promise<HtmlReply>
}): Route {
  return rawRoute({
    ...described,
    method: 'POST',
    path: `/app/{org}${path}`,
    tags: ['pages'],
    params: z.object({ org: z.string() }),
    target: ({ params: { org } }) => ({ org }),
    body: { schema: z.string().meta({ type: 'string', format: 'binary' }) },
    answers: { 303: { description: 'To another page' } },
    async handle({ x, params }, services) {
      const { limits, cookies } = services
      const view = await orgViewOf(x, services, params.org)
      const done = async ({ csrf = '', ...fields }: Upload['fields'], file: Upload['file']) => {
        checkCsrf(x, cookies, csrf)
        const reply = await handle({ params, x, caller: x.caller, view, fields, file }, services)
        await sendReply(x, reply, { isSecret: false, limits })
      }
      const boundary = boundaryIn(x.req.headers['content-type'])
      if (boundary === undefined) {
        checkFormType(x.req.headers['content-type'])
        return done(plainFields(await receivedWhole(x, limits.maxFormBytes)), undefined)
      }
      const fields: Record<string, string> = {}
      for await (const part of formParts(freeing(received(x), services.freeBuffers), boundary)) {
        if (part.filename !== undefined) return done(fields, part.filename === '' ? undefined : part.content)
        if (Object.keys(fields).length < MOST_FIELDS)
          fields[part.name] = await fieldText(part, MOST_FIELD_BYTES)
      }
      return done(fields, undefined)
    },
  })
}

function plainFields(bytes: Buffer): Readonly<Record<string, string>> {
  const entries = Object.entries(parseForm(bytes))
  return Object.fromEntries(
    entries.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  )
}
