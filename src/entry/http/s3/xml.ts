/** The answers of S3 are flat and few: a writer is all they need. */
export type XmlValue = string | number | boolean | undefined | Xml | readonly (string | Xml)[]
export interface Xml {
  readonly [name: string]: XmlValue
}

const ESCAPED: Readonly<Record<string, string>> = { '<': '&lt;', '>': '&gt;', '&': '&amp;', '"': '&quot;' }

/** A list becomes one element for each of its values. What is undefined is left out. */
export function xmlDocument(root: string, content: Xml, namespace = ''): string {
  const declared = namespace === '' ? '' : ` xmlns="${namespace}"`
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${root}${declared}>${elements(content)}</${root}>`
}

/** Of every answer but errors. */
export const S3_NAMESPACE = 'http://s3.amazonaws.com/doc/2006-03-01/'

function elements(content: Xml): string {
  return Object.entries(content)
    .flatMap(([name, value]) =>
      value === undefined
        ? []
        : (Array.isArray(value) ? (value as readonly (string | Xml)[]) : [value]).map((one) =>
            element(name, one as XmlValue),
          ),
    )
    .join('')
}

function element(name: string, value: XmlValue): string {
  const inner = typeof value === 'object' ? elements(value as Xml) : textOf(String(value))
  return `<${name}>${inner}</${name}>`
}

/** XML 1.0 cannot write control characters at all. */
function textOf(text: string): string {
  return (
    text
      .replaceAll(/[<>&"]/g, (char) => ESCAPED[char] ?? char)
      // oxlint-disable-next-line no-control-regex -- these are what is left out
      .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')
      .replaceAll('\r', '&#13;')
  )
}

/** The inside of each element of this name. Requests of S3 are flat: no element is within another of its name. */
export function elementsIn(xml: string, name: string): readonly string[] {
  const pattern = new RegExp(`<(?:\\w+:)?${name}(?:\\s[^<>]*)?>([\\s\\S]*?)</(?:\\w+:)?${name}\\s*>`, 'g')
  return Array.from(xml.matchAll(pattern), ([, inside = '']) => inside)
}

export function textIn(xml: string, name: string): string | undefined {
  return elementsIn(xml, name)[0]?.replaceAll('&quot;', '"').replaceAll('&#34;', '"').trim()
}
