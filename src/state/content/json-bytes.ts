/** 1: allowed unescaped in a string. */
export const PLAIN = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x20 && byte !== 0x22 && byte !== 0x5c ? 1 : 0,
)
export const HEX = Uint8Array.from({ length: 256 }, (_, byte) =>
  /[0-9a-fA-F]/.test(String.fromCharCode(byte)) ? 1 : 0,
)
export const ESCAPED = Uint8Array.from({ length: 256 }, (_, byte) =>
  '"\\/bfnrt'.includes(String.fromCharCode(byte)) ? 1 : 0,
)
export const WORDS = new Map([
  [0x74, Buffer.from('true')],
  [0x66, Buffer.from('false')],
  [0x6e, Buffer.from('null')],
])
