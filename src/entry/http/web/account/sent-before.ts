import type { TacoError } from '../../../../base/errors.ts'
import type { Exchange } from '../../kit/exchange.ts'
import { seeOther } from '../../kit/response/redirect.ts'
import type { WebServices } from '../services.ts'
import { setFlash } from '../shell/flash.ts'

/** The form of a token was sent again: its page was loaded again, or its button was pressed twice. */
export function sentBefore(x: Exchange, { cookies }: WebServices, { hint = '' }: TacoError, path: string) {
  setFlash(x, cookies, {
    kind: 'warn',
    text: `This form was sent before, and created its token then. ${hint}`,
  })
  return seeOther(path)
}
