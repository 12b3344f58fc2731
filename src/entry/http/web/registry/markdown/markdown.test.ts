import { expect, test } from 'vitest'
import { renderPart } from '../../shell/render.ts'
import { Markdown } from './markdown.tsx'

const html = (text: string) => renderPart(Markdown({ text, pathOf: (file) => `/files/${file}` }))

test.each([
  '[x](javascript:alert(1))',
  '[x](JaVaScRiPt:alert(1))',
  '[x](<javascript:alert(1)>)',
  '[x](&#106;avascript:alert)',
  '[x](java\tscript:alert)',
  '[x](data:text/html,<b>)',
  '[x](vbscript:x)',
  '[x](//evil.example)',
  '[x](/app)',
  '[x](\\\\evil.example)',
  '![x](javascript:alert)',
  '[![x](a)](javascript:alert)',
  '<javascript:alert(1)>',
  '<a href="javascript:alert(1)">x</a>',
])('%s leads nowhere', (text) => {
  expect(html(text)).not.toMatch(/href="(?!\/files\/)/)
})

test.each(['<script>x</script>', '<img src=x onerror=x>', '<svg/onload=x>', '`<b>`', '&lt;b&gt;', '# <b>'])(
  'nothing of %s becomes an element',
  (text) => {
    expect(html(text)).not.toMatch(/<(script|img|svg|b)\b/)
  },
)

test('an address cannot leave its attribute, and pictures are links', () => {
  expect(html('https://x.example/a"onmouseover="y')).not.toContain('"onmouseover')
  expect(html('[x](https://x.example/"onmouseover="y)')).toContain(
    'href="https://x.example/&quot;onmouseover',
  )
  expect(html('![x](https://x.example/a.png)')).toMatch(/<a href="https:\/\/x.example\/a.png"[^>]*>x<\/a>/)
})

test('a table has the cells that it was written with, and no more columns than its head', () => {
  expect(html('a|b\n-|-\n1|2|3\n|')).toContain('<tr><td>1</td><td>2</td></tr><tr><td></td></tr>')
})

const half = 128 * 1024

// As large as a README is read. These took minutes, or more memory than there is.
test.each([
  ['a table of empty rows', `${'a|'.repeat(50)}\n${'-|'.repeat(50)}\n${'|\n'.repeat(half)}`],
  ['lists', '- a\n'.repeat(half / 2)],
  ['links inside of others', `**${'*a* '.repeat(half / 2)}**`],
  ['backticks of many lengths', Array.from({ length: 720 }, (_, at) => '`'.repeat(720 - at)).join(' ')],
])('%s do not make a page that is much longer than the text', { timeout: 20_000 }, (_, text) => {
  expect(html(text).length).toBeLessThan(1_000_000)
})

test('of a text with too many parts the beginning is shown', () => {
  const text = html(`first\n\n${'a\n\n'.repeat(30_000)}last`)

  expect(text).toContain('first')
  expect(text).not.toContain('last')
  expect(text).toContain('The rest is not shown')
})
