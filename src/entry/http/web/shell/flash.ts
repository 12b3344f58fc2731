import { z } from 'zod'
import type { Cookies } from '../../kit/cookies.ts'
import type { Exchange } from '../../kit/exchange.ts'

const COOKIE = 'taco-said'
const MOST_LETTERS = 500
const Said = z.object({ kind: z.enum(['ok', 'warn', 'fail']), text: z.string().max(MOST_LETTERS) })

/** One sentence about what a form did, for the page that follows it. */
export type Flash = z.infer<typeof Said>

/** Say it before `seeOther`. */
export function setFlash(x: Exchange, cookies: Cookies, { kind, text }: Flash): void {
  // Names may be long, and browsers drop a cookie of more than 4 kB.
  const short = text.length > MOST_LETTERS ? `${text.slice(0, MOST_LETTERS - 1)}…` : text
  const said = Buffer.from(JSON.stringify({ kind, text: short }))
  cookies.set(x, COOKIE, said.toString('base64url'), { maxAgeSeconds: 60 })
}

export function hasFlash(x: Exchange, cookies: Cookies): boolean {
  return cookies.read(x.req.headers, COOKIE) !== undefined
}

/** Shown once. */
export function takeFlash(x: Exchange, cookies: Cookies): Flash | undefined {
  const text = cookies.read(x.req.headers, COOKIE)
  if (text === undefined) return undefined
  cookies.clear(x, COOKIE)
  try {
    return Said.safeParse(JSON.parse(Buffer.from(text, 'base64url').toString())).data
  } catch {
    return undefined
  }
}
