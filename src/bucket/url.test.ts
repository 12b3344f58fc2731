import { expect, test } from 'vitest'
import { isTacoError } from '../base/errors.ts'
import { parseBucketUrl } from './url.ts'

const nothing = {
  region: undefined,
  endpoint: undefined,
  pathStyle: undefined,
  sse: undefined,
  kmsKeyId: undefined,
}

test('a path is a folder, relative to where the caller is', () => {
  expect(parseBucketUrl('/srv/states')).toEqual({ kind: 'file', folder: '/srv/states' })
  expect(parseBucketUrl('states', '/home/ann')).toEqual({ kind: 'file', folder: '/home/ann/states' })
  expect(parseBucketUrl('../states', '/home/ann')).toEqual({ kind: 'file', folder: '/home/states' })
})

test('a file address is a folder', () => {
  expect(parseBucketUrl('file:///srv/my%20states')).toEqual({ kind: 'file', folder: '/srv/my states' })
  expect(parseBucketUrl('file:states', '/home/ann')).toEqual({ kind: 'file', folder: '/home/ann/states' })
})

test('an s3 address has its settings in the query', () => {
  expect(parseBucketUrl('s3://states')).toEqual({
    kind: 's3',
    bucket: 'states',
    prefix: '',
    conditionalDelete: undefined,
    ...nothing,
  })
  expect(
    parseBucketUrl(
      's3://states/team%20a/prod/?region=eu-west-1&endpoint=http://127.0.0.1:7070&path_style=true&kms_key_id=arn:aws:kms:x&conditional_delete=false',
    ),
  ).toEqual({
    kind: 's3',
    bucket: 'states',
    prefix: 'team a/prod',
    region: 'eu-west-1',
    endpoint: 'http://127.0.0.1:7070',
    pathStyle: true,
    sse: 'aws:kms',
    kmsKeyId: 'arn:aws:kms:x',
    conditionalDelete: false,
  })
})

test('gs, azblob and memory addresses are understood', () => {
  expect(parseBucketUrl('gs://states/prod')).toEqual({
    kind: 'gs',
    bucket: 'states',
    prefix: 'prod',
    endpoint: undefined,
  })
  expect(parseBucketUrl('azblob://states/prod?account=acme')).toEqual({
    kind: 'azblob',
    container: 'states',
    prefix: 'prod',
    account: 'acme',
    endpoint: undefined,
  })
  expect(parseBucketUrl('memory:')).toEqual({ kind: 'memory' })
})

test.each([
  ['s3://AKIA:hush@states', 'user name or password'],
  ['s3://states?secret_access_key=hush', '"secret_access_key"'],
  ['s3://states?access_key=hush', '"access_key"'],
  ['s3://states?session_token=hush', '"session_token"'],
  ['azblob://states?account_key=hush', '"account_key"'],
  ['azblob://states?sas=hush', '"sas"'],
  ['azblob://states?sig=hush', '"sig"'],
  ['azblob://states?connection_string=hush', '"connection_string"'],
])('a secret in %s is refused, not repeated, and the hint says where it goes', (text, named) => {
  const error = thrownBy(text)

  expect(error.message).toContain(named)
  expect(`${error.message} ${error.hint} ${JSON.stringify(error.facts)}`).not.toContain('hush')
  expect(error.hint).toContain('environment variables')
})

test.each([
  ['', 'is missing'],
  ['s3://', 'no name'],
  ['s3:states', 'is not a kind of bucket'],
  ['https://example.com/states', 'is not a kind of bucket'],
  ['s3://states?regoin=x', 'regoin'],
  ['s3://states?path_style=perhaps', 'path_style'],
  ['s3://states?sse=rot13', 'sse'],
  ['s3://states?endpoint=example.com', 'endpoint'],
  ['s3://states?endpoint=https://a:hush@example.com', 'endpoint'],
  ['s3://states?region=a&region=b', 'twice'],
  ['s3://states/a/../b', 'prefix'],
  ['s3://states/100%', '%'],
  ['file://server/share', 'on another host'],
])('the address "%s" is refused', (text, named) => {
  const error = thrownBy(text)

  expect(error.message).toContain(named)
  expect(error.message).not.toContain('hush')
})

function thrownBy(text: string) {
  try {
    parseBucketUrl(text)
  } catch (error) {
    if (isTacoError(error, 'BAD_REQUEST') && error.facts['field'] === 'bucket') return error
    throw error
  }
  throw new Error('it was accepted')
}

test('an unknown or unusable setting is reported together with the valid ones', () => {
  const refused = (text: string) => {
    try {
      return parseBucketUrl(text)
    } catch (error) {
      return error
    }
  }

  expect(refused('s3://b?bogus=1')).toMatchObject({
    message: 'The address of the bucket is invalid: bogus is unknown.',
    hint: expect.stringContaining('accepts region, endpoint, path_style'),
  })
  expect(refused('s3://b?path_style=yes&sse=x')).toMatchObject({
    message: expect.stringContaining('path_style must be 0 or 1 or true or false; sse must be AES256 or'),
  })
  expect(refused('gs://b?endpoint=ftp://x')).toMatchObject({
    message: expect.stringContaining('endpoint must be a plain http or https address'),
  })
})
