/** What two texts share at both ends, and what differs between. */
export interface ChangedText {
  readonly start: string
  readonly before: string
  readonly after: string
  readonly end: string
}

/** Compares word by word, so that no word is split. Pure. */
export function changedText(before: string, after: string): ChangedText {
  const [old, now] = [wordsOf(before), wordsOf(after)]
  const most = Math.min(old.length, now.length)
  let start = 0
  while (start < most && old[start] === now[start]) start++
  let end = 0
  while (end < most - start && old[old.length - 1 - end] === now[now.length - 1 - end]) end++
  return {
    start: old.slice(0, start).join(''),
    before: old.slice(start, old.length - end).join(''),
    after: now.slice(start, now.length - end).join(''),
    end: old.slice(old.length - end).join(''),
  }
}

function wordsOf(text: string): readonly string[] {
  return text.match(/[\p{L}\p{N}_-]+|[^]/gu) ?? []
}
