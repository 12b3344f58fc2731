import { expect, test } from 'vitest'
import { readError, readListing } from './xml.ts'

const contents = (key: string, extra = '') =>
  `<Contents><Key>${key}</Key><LastModified>2026-01-02T03:04:05.678Z</LastModified><ETag>&quot;abc&quot;</ETag><Size>12</Size>${extra}</Contents>`

const listing = (inside: string) => `<ListBucketResult>${inside}</ListBucketResult>`

test('a listing gives keys, tags, sizes and times', () => {
  const owner = '<Owner><ID>Key</ID><DisplayName>x</DisplayName></Owner>'

  const page = readListing(
    `<?xml version="1.0"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>b</Name>${contents('a/b', owner)}
     <IsTruncated>false</IsTruncated></ListBucketResult>`,
  )

  const modifiedAt = Date.parse('2026-01-02T03:04:05.678Z')
  expect(page).toEqual({ items: [{ name: 'a/b', etag: '"abc"', size: 12, modifiedAt }], next: undefined })
})

test('keys are unescaped only if the server says that it escaped them', () => {
  const keys = (encoding: string) =>
    readListing(
      listing(`${encoding}${contents('a+b%2Bc%25%C3%BC')}${contents('&lt;&#38;&#x41;&apos;&gt;')}`),
    )?.items.map(({ name }) => name)

  expect(keys('<EncodingType>url</EncodingType>')).toEqual(['a b+c%ü', "<&A'>"])
  expect(keys('')).toEqual(['a+b%2Bc%25%C3%BC', "<&A'>"])
})

test('the next page has a token, which may hold entities', () => {
  const next = (truncated: boolean) =>
    readListing(
      listing(
        `${contents('a')}${contents('IsTruncated')}<NextContinuationToken>1&amp;2</NextContinuationToken><IsTruncated>${truncated}</IsTruncated>`,
      ),
    )?.next

  expect(next(true)).toBe('1&2')
  expect(next(false)).toBeUndefined()
})

test('an empty listing is empty', () => {
  expect(readListing('<ListBucketResult><KeyCount>0</KeyCount></ListBucketResult>')).toEqual({
    items: [],
    next: undefined,
  })
  expect(readListing('<ListBucketResult/>')?.items).toEqual([])
})

test('what is not a listing, or does not say how it continues, does not pass for the end of one', () => {
  expect(readListing('<html><body>Welcome to the network</body></html>')).toBeUndefined()
  expect(readListing('')).toBeUndefined()
  expect(readListing(`<ListBucketResult><IsTruncated>false</IsTruncated>${contents('a')}`)).toBeUndefined()
  expect(readListing(listing(`${contents('a')}<IsTruncated>true</IsTruncated>`))).toBeUndefined()
})

test('namespace prefixes do no harm', () => {
  const inside = '<s:Contents><s:Key>a</s:Key><s:ETag>x</s:ETag><s:Size>1</s:Size></s:Contents>'
  const xml = `<s:ListBucketResult>${inside}</s:ListBucketResult>`

  expect(readListing(xml)?.items).toMatchObject([{ name: 'a', etag: 'x', size: 1 }])
})

test('errors are read, and what is no error document gives nothing', () => {
  expect(readError('<Error><Code>SlowDown</Code><Message>a &lt; b</Message></Error>')).toEqual({
    code: 'SlowDown',
    message: 'a < b',
    region: undefined,
  })
  expect(readError('<html><body>Bad Gateway</body></html>').code).toBeUndefined()
  expect(readError('')).toEqual({ code: undefined, message: undefined, region: undefined })
})
