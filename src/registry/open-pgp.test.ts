import { expect, test } from 'vitest'
import { createSigningKey } from '../../test/support/open-pgp.ts'
import { keyIdsOf, signerOf } from './open-pgp.ts'

/** Made with gpg: a key that certifies, with a subkey that signs, and a signature of that subkey. */
const REAL = `-----BEGIN PGP PUBLIC KEY BLOCK-----
Comment: an optional header

mDMEavqsChYJKwYBBAHaRw8BAQdAkSp+1Xm+C9tU2/wt6ffF1Wzm8j5bE1nAqNQX
fgBMZfy0F1JlYWwgPHJlYWxAZXhhbXBsZS5jb20+iJAEExYIADgWIQSPZw70CR02
01WI1hbCxFeW/4F8FQUCavqsCgIbAQULCQgHAgYVCgkICwIEFgIDAQIeAQIXgAAK
CRDCxFeW/4F8FcFIAP42ef01Bmf6eb+Wfkad9YagYqIW9t1YkoweOFQggq6X7QEA
1hP93jgTOJl5t8HJqE3sYegVXMIdD/5P6q0/sT4tfgq4MwRq+qwKFgkrBgEEAdpH
DwEBB0CN/bP82ZY+PXCp9lLeL3lTzKNrTSL5TwDgf0Liz4vEvIjvBBgWCAAgFiEE
j2cO9AkdNtNViNYWwsRXlv+BfBUFAmr6rAoCGwIAgQkQwsRXlv+BfBV2IAQZFggA
HRYhBJ+Dky4YTZw9NOlGiRtdUipjlbIlBQJq+qwKAAoJEBtdUipjlbIlSUQA/jxV
7HihG1SUqJnwMt+c6MbiMrJfoCLpJNjrSKs8LWIPAQCoC44MvDnO7szGlsAzhTeo
IyDVMzj8lQ2/VXbYt6jNDkVJAQCGpOi4IMKbKpyXh3PCUIDO8Fp75fvx+JGIhRiN
CvY3hwEA2sR8Xe9a0xWvrgSYrdfWYsATaTap1iSKSA57aj3vRgQ=
=No76
-----END PGP PUBLIC KEY BLOCK-----
`
const SIGNATURE = `iIcEABYIAC8WIQSfg5MuGE2cPTTpRokbXVIqY5WyJQUCavqsChEccmVhbEBleGFtcGxlLmNvbQAK
CRAbXVIqY5WyJa00AQCXb7w80l/3Y6lixpFooy3wMvA8G/CrVa736j3mq75M1wD/VoyvN5e9K/fw
3Hgzc4YMm43bHpxRqvHiJ3FQmtz/iAw=`

test('a key of gpg has the ids that gpg shows', () => {
  expect(keyIdsOf(REAL)).toEqual(['C2C45796FF817C15', '1B5D522A6395B225'])
  expect(keyIdsOf(REAL.replaceAll('\n', '\r\n'))).toEqual(['C2C45796FF817C15', '1B5D522A6395B225'])
})

test('a signature says which key made it', () => {
  expect(signerOf(Buffer.from(SIGNATURE, 'base64'))).toBe('1B5D522A6395B225')
  const key = createSigningKey()
  expect([keyIdsOf(key.asciiArmor), signerOf(key.sign(Buffer.from('x')))]).toEqual([[key.keyId], key.keyId])
})

const lines = REAL.split('\n')

test.each([
  ['', 'not an armored key'],
  ['hello', 'not an armored key'],
  [REAL.replaceAll('PUBLIC', 'PRIVATE'), 'private key'],
  [[...lines.slice(0, 3), ...lines.slice(-3)].join('\n'), 'does not begin with a public key'],
  [[...lines.slice(0, 3), lines[3]?.slice(0, 20), ...lines.slice(-3)].join('\n'), 'cut off'],
  [[...lines.slice(0, 3), 'aGVsbG8gd29ybGQ=', ...lines.slice(-3)].join('\n'), 'no OpenPGP data'],
])('what is no public key is refused (%#)', (armor, words) => {
  expect(() => keyIdsOf(armor)).toThrow(words)
})

test.each([
  [Buffer.from('-----BEGIN PGP SIGNATURE-----\n'), 'It is text'],
  [Buffer.from('hello'), 'no OpenPGP data'],
  [Buffer.alloc(0), 'no OpenPGP signature'],
  [Buffer.from(SIGNATURE, 'base64').subarray(0, 40), 'cut off'],
  [Buffer.from(REAL.split('\n\n')[1] ?? '', 'base64'), 'no OpenPGP signature'],
])('what is no detached signature is refused (%#)', (bytes, words) => {
  expect(() => signerOf(bytes)).toThrow(words)
})
