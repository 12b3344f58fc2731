/** What a token stands for, with the word by which its text says so. */
const WORDS = { personal: 'pat', team: 'team', organization: 'org', agent: 'agent', workload: 'wl' } as const
export type TokenUse = keyof typeof WORDS

/**
 * `taco_pat_<id>.<secret>`: recognisable for secret scanners. The id names the record, so that a server finds it with
 * one read; only the secret is secret, and it has 256 random bits.
 */
const FORM = /^taco_(pat|team|org|agent|wl)_([0-9A-Za-z]{16})\.[\w-]{43}$/

export function isToken(text: string): boolean {
  return FORM.test(text)
}

export function tokenText(use: TokenUse, id: string, secret: string): string {
  return `taco_${WORDS[use]}_${id.slice(-16)}.${secret}`
}

/** The id of the record of a token. */
export function tokenIdOf(text: string): string | undefined {
  const match = FORM.exec(text)
  return match === null ? undefined : `${match[1] === WORDS.workload ? 'wl' : 'at'}-${match[2]}`
}

export function isTokenId(text: string): boolean {
  return /^(at|wl)-[0-9A-Za-z]{16}$/.test(text)
}
