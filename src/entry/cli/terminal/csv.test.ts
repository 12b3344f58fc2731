import { expect, test } from 'vitest'
import { csvLine } from './csv.ts'

test.each([
  [['a', 1, null, ''], 'a,1,,'],
  [['a,b', 'say "x"', 'two\nlines'], '"a,b","say ""x""","two\nlines"'],
  [['=1+1', '+1', '-1', '@x', '\tx', '\rx'], "'=1+1,'+1,'-1,'@x,'\tx,\"'\rx\""],
  [['=HYPERLINK("http://x","y")'], '"\'=HYPERLINK(""http://x"",""y"")"'],
  [['＝1'], "'＝1"],
])('%j is written so that it is read back as text', (cells, line) => {
  expect(csvLine(cells)).toBe(`${line}\r\n`)
})
