/**
 * How deeply a JSON text is nested. Writing JSON uses the stack for every level, and parsing sets no limit, so check
 * texts from outside before you parse them.
 */
export function levelsIn(bytes: Uint8Array): number {
  let level = 0
  let deepest = 0
  let isText = false
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (isText) {
      if (byte === 0x5c) at++
      else if (byte === 0x22) isText = false
    } else if (byte === 0x22) isText = true
    else if (byte === 0x5b || byte === 0x7b) deepest = Math.max(deepest, ++level)
    else if (byte === 0x5d || byte === 0x7d) level--
  }
  return deepest
}
