/**
 * What a terminal obeys or hides instead of showing it: control characters (C0, DEL, C1), line separators, marks that
 * change the direction of text, and characters without a width. The two joiners stay: words and emoji need them.
 */
const OBEYED = String.raw`\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}`
const RUN = new RegExp(`[\\u0000-\\u001f${OBEYED}]+`, 'gu')
const LINES = new RegExp(`(\\u001b\\[[0-9;]*m)|[\\u0000-\\u0008\\u000b-\\u001f${OBEYED}]`, 'gu')
const IN_JSON = new RegExp(`[${OBEYED}]`, 'gu')

/** Text from elsewhere in one line, with nothing in it that a terminal would obey. */
export function oneLine(text: string): string {
  return text.replace(RUN, ' ')
}

/** The same for text of several lines, with tabs, and with our own colours where there are any. */
export function plainLines(text: string, { hasColours }: { readonly hasColours: boolean }): string {
  return text.replace(LINES, (_, colour: string | undefined) => (hasColours && colour) || ' ')
}

/** JSON that means the same, and can be looked at. */
export function plainJson(json: string): string {
  return json.replace(IN_JSON, (sign) =>
    Array.from(
      { length: sign.length },
      (_, i) => `\\u${sign.charCodeAt(i).toString(16).padStart(4, '0')}`,
    ).join(''),
  )
}
