const WANTED_BITS = 128

/**
 * Whether a token could be guessed. Only its length and its alphabet are looked at: each character counts as one that
 * was drawn from the smallest usual alphabet with all of them. Letters of one case without a digit are taken for words.
 */
export function isWeakToken(token: string): boolean {
  return new Set(token).size < 8 || token.length * bitsPerCharacter(token) < WANTED_BITS
}

function bitsPerCharacter(token: string): number {
  if (/^\d+$/.test(token)) return Math.log2(10)
  if (/^[0-9a-f]+$/i.test(token)) return 4
  if (!/\d/.test(token) && !(/[a-z]/.test(token) && /[A-Z]/.test(token))) return 2
  if (/^[0-9a-z]+$/.test(token) || /^[0-9A-Z]+$/.test(token)) return Math.log2(36)
  return Math.log2(62)
}
