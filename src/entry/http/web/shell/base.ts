import { z } from 'zod'
import { TacoError } from '../../../../base/errors.ts'
import { ownPath, seeOther } from '../../kit/response/redirect.ts'
import type { Route } from '../../kit/routes/route.ts'
import { ASSETS_PREFIX } from '../asset-folder.ts'
import { form, route } from '../define.ts'
import { THEMES, chooseTheme } from './theme.ts'

/** What every page needs. */
export const baseRoutes: readonly Route[] = [
  route({
    method: 'GET',
    tags: ['pages'],
    target: () => ({}),
    answers: { 200: { description: 'The file', content: { '*/*': { schema: z.unknown() } } } },
    path: `${ASSETS_PREFIX}{name}`,
    id: 'getAsset',
    action: 'account:manage',
    openness: 'everybody',
    summary: 'A file that pages are made of',
    params: z.object({ name: z.string() }),
    handle({ params, headers }, { assets }) {
      const found = assets.reply(params.name, headers['accept-encoding']?.toString())
      if (found !== undefined) return found
      throw new TacoError('NOT_FOUND', 'There is no such file.')
    },
  }),
  form({
    path: '/theme',
    id: 'chooseTheme',
    action: 'account:manage',
    openness: 'everybody',
    summary: 'Choose light or dark',
    fields: { theme: z.enum(THEMES), return_to: z.string().optional() },
    handle({ body, x }, { cookies }) {
      chooseTheme(x, cookies, body.theme)
      return seeOther(ownPath(body.return_to) ?? '/')
    },
  }),
]
