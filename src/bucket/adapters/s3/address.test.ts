import { expect, test } from 'vitest'
import { s3Address } from './address.ts'

test('at AWS the bucket is part of the name of the host', () => {
  expect(s3Address({ bucket: 'states', region: 'eu-west-1' })).toEqual({
    secure: true,
    hostname: 'states.s3.eu-west-1.amazonaws.com',
    port: 443,
    host: 'states.s3.eu-west-1.amazonaws.com',
    base: '',
  })
  expect(s3Address({ bucket: 'states', region: 'cn-north-1' }).host).toBe(
    'states.s3.cn-north-1.amazonaws.com.cn',
  )
})

test('a bucket with a dot, and every other server, has the bucket in the path', () => {
  expect(s3Address({ bucket: 'my.states', region: 'eu-west-1' })).toMatchObject({
    host: 's3.eu-west-1.amazonaws.com',
    base: '/my.states',
  })
  expect(s3Address({ bucket: 'states', region: 'x', endpoint: 'http://[::1]:9000/base/' })).toEqual({
    secure: false,
    hostname: '::1',
    port: 9000,
    host: '[::1]:9000',
    base: '/base/states',
  })
})

test('the choice can be made by hand', () => {
  expect(
    s3Address({ bucket: 'b', region: 'r', endpoint: 'https://s3.example.com', pathStyle: false }),
  ).toMatchObject({
    host: 'b.s3.example.com',
    base: '',
  })
})

test.each(['s3.example.com', 'ftp://example.com', 'https://id:hush@example.com'])(
  'the endpoint %s is refused',
  (endpoint) => {
    const make = () => s3Address({ bucket: 'b', region: 'r', endpoint })

    expect(make).toThrow(expect.objectContaining({ code: 'BAD_REQUEST', facts: { field: 'bucket' } }))
    expect(make).not.toThrow(/hush/)
  },
)
