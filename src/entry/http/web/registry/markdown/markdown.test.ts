import { expect, test } from 'vitest'
import { renderPart } from '../../shell/render.ts'
import { Markdown, safeLink } from './markdown.tsx'

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

const shown = (text: string) =>
  renderPart(Markdown({ text, pathOf: (file) => (file === 'modules/a' ? '/a' : undefined) }))
    .replace(/^<div class="prose">/, '')
    .replace(/<\/div>$/, '')

test.each([
  ['<script>alert(1)</script>', '<p>alert(1)</p>'],
  ['<img src=x onerror=alert(1)>', '<p></p>'],
  ['<a href="javascript:alert(1)">x</a>', '<p>x</p>'],
  ['&lt;script&gt;', '<p>&lt;script&gt;</p>'],
  ['a < b & c "d"', '<p>a &lt; b &amp; c &quot;d&quot;</p>'],
  ['`<b>`', '<p><code>&lt;b&gt;</code></p>'],
  ['```html\n<b onclick="x">\n```', /<code>&lt;b onclick=&quot;x&quot;&gt;<\/code>/],
  ['<!-- <script> -->text', '<p>text</p>'],
  ['<!-- never closed <b>', ''],
  ['# <i>x</i>" onmouseover="y', '<h2 id="readme-x-onmouseoverx">'.replace('x">', 'y">')],
])('HTML in %j has no effect', (text, html) => {
  const found = shown(text)
  if (typeof html === 'string') expect(found.startsWith(html)).toBe(true)
  else expect(found).toMatch(html)
  expect(found).not.toMatch(/<(script|img|b|i|a)[\s>]/)
})

test.each([
  ['https://x.example/a?b#c', 'https://x.example/a?b#c'],
  ['HTTP://x.example', 'HTTP://x.example'],
  ['mailto:a@b.example', 'mailto:a@b.example'],
  ['#the-inputs', '#readme-the-inputs'],
  ['./modules/a', '/a'],
  ['modules/a?x=1#y', '/a'],
  ['modules/b', undefined],
  ['../../../server', undefined],
  ['/app/default/people', undefined],
  ['//evil.example', undefined],
  ['\\\\evil.example', undefined],
  ['javascript:alert(1)', undefined],
  ['JaVaScRiPt:alert(1)', undefined],
  ['data:text/html,x', undefined],
  ['vbscript:x', undefined],
  ['https://', undefined],
  ['', undefined],
  ['#', undefined],
])('a link to %j leads to %j', (to, expected) => {
  expect(safeLink(to, (file) => (file === 'modules/a' ? '/a' : undefined))).toBe(expected)
})

test('what hides a scheme does not become a link', () => {
  for (const to of [
    'java\tscript:alert(1)',
    '\u0001javascript:alert(1)',
    '&#106;avascript:x',
    ' javascript:x',
  ])
    expect(shown(`[x](${to})`)).not.toContain('<a')
})

test.each([
  [
    '![logo](https://x.example/l.png)',
    '<p><a href="https://x.example/l.png" rel="noopener noreferrer nofollow">logo</a></p>',
  ],
  [
    '[![build](https://x.example/b.svg)](https://ci.example)',
    '<p><a href="https://ci.example" rel="noopener noreferrer nofollow">build</a></p>',
  ],
  ['![](x.png)', '<p>picture</p>'],
])('the picture %j is a link or text', (text, html) => {
  expect(shown(text)).toBe(html)
})

test.each([
  ['**a *b* c**', '<p><strong>a <em>b</em> c</strong></p>'],
  ['snake_case_name and 2 * 3 * 4', '<p>snake_case_name and 2 * 3 * 4</p>'],
  ['~~old~~ `a*b`', '<p><s>old</s> <code>a*b</code></p>'],
  ['# Title ##', '<h2 id="readme-title">Title</h2>'],
  ['# C#', '<h2 id="readme-c">C#</h2>'],
  ['#', '<h2 id="readme-"></h2>'],
  ['#hashtag', '<p>#hashtag</p>'],
  ['Title\n===', '<h2 id="readme-title">Title</h2>'],
  ['# A\n# A', '<h2 id="readme-a">A</h2><h2 id="readme-a-1">A</h2>'],
  ['- a\n  - b\n- c', '<ul><li><div>a</div><ul><li><div>b</div></li></ul></li><li><div>c</div></li></ul>'],
  ['1. a\n2. b', '<ol><li><div>a</div></li><li><div>b</div></li></ol>'],
  ['> a\n> > b', '<blockquote><p>a</p><blockquote><p>b</p></blockquote></blockquote>'],
  ['a\n\n---\n\nb', '<p>a</p><hr/><p>b</p>'],
])('%j is shown as %s', (text, html) => {
  expect(shown(text)).toBe(html)
})

test('a table keeps its cells, also short and long rows, and bars that are escaped', () => {
  const html = shown('| a | b |\n|---|:-:|\n| 1 | x \\| y |\n| 2 |\n| 3 | 4 | 5 |\n\nafter')
  expect([...html.matchAll(/<t[hd](?: scope="col")?>(.*?)<\/t[hd]>/g)].map(([, cell]) => cell)).toEqual([
    'a',
    'b',
    '1',
    'x | y',
    '2',
    '3',
    '4',
  ])
  expect(html).toContain('<p>after</p>')
})
