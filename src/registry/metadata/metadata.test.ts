import { expect, test } from 'vitest'
import { archiveOf } from '../../../test/support/archives.ts'
import { TacoError } from '../../base/errors.ts'
import { readArchive } from './describe.ts'
import { isDescribing, pickModuleFiles } from './module-files.ts'
import { emptyMetadata } from './module-metadata.ts'
import { summaryOf } from './summary.ts'

test.each([
  ['main.tf', true],
  ['main.tf.json', true],
  ['x.tofu', true],
  ['README.md', true],
  ['readme', true],
  ['modules/a/main.tf', true],
  ['examples/a/README.md', true],
  ['modules/a/b/main.tf', false],
  ['src/main.tf', false],
  ['main.py', false],
  ['.terraform/modules/x/main.tf', false],
])('whether %s describes a module: %s', (path, expected) => {
  expect(isDescribing(path)).toBe(expected)
})

/** In pieces of one buffer that is used again, as a spool file gives them. */
async function* piecesOf(bytes: Buffer, size = 100): AsyncGenerator<Uint8Array> {
  const shared = Buffer.alloc(size)
  for (let at = 0; at < bytes.length; at += size) {
    const copied = bytes.copy(shared, 0, at, at + size)
    yield shared.subarray(0, copied)
    await Promise.resolve()
  }
}

test('the files that describe a module are picked from its archive', async () => {
  const archive = archiveOf([
    { path: './', type: 'Directory' },
    { path: './main.tf', content: 'variable "größe" {}' },
    { path: 'bin/tool', content: Buffer.alloc(5000, 7) },
    { path: 'modules/a/main.tf', content: 'x' },
    { path: 'README.md', type: 'SymbolicLink', linkpath: 'main.tf' },
    { path: 'late.tf', content: 'late' },
  ])

  expect(await pickModuleFiles(piecesOf(archive))).toEqual({
    files: [
      { path: 'main.tf', text: 'variable "größe" {}' },
      { path: 'modules/a/main.tf', text: 'x' },
      { path: 'late.tf', text: 'late' },
    ],
    faults: [],
  })
})

const limits = { maxFileBytes: 100, maxBytes: 150, maxFiles: 3, maxArchiveBytes: 2 ** 20 }

test.each([
  [
    'a file that is too large',
    [
      ['a.tf', 101],
      ['b.tf', 1],
    ],
    ['b.tf'],
    'a.tf has more than 100 bytes',
  ],
  [
    'too many bytes',
    [
      ['a.tf', 90],
      ['b.tf', 90],
      ['c.tf', 10],
    ],
    ['a.tf', 'c.tf'],
    'more code than is read',
  ],
  [
    'too many files',
    [
      ['a.tf', 1],
      ['b.tf', 1],
      ['c.tf', 1],
      ['d.tf', 1],
    ],
    ['a.tf', 'b.tf', 'c.tf'],
    'more code',
  ],
] as const)('%s is left out, and said', async (_, entries, paths, fault) => {
  const archive = archiveOf(entries.map(([path, size]) => ({ path, content: 'x'.repeat(size) })))
  const picked = await pickModuleFiles(piecesOf(archive), limits)

  expect(picked.files.map(({ path }) => path)).toEqual(paths)
  expect(picked.faults).toEqual([expect.stringContaining(fault)])
})

test('an archive is not read beyond a limit', async () => {
  const archive = archiveOf([
    { path: 'a.tf', content: 'a' },
    { path: 'zeros', content: Buffer.alloc(4 * 2 ** 20) },
    { path: 'z.tf', content: 'z' },
  ])
  const picked = await pickModuleFiles(piecesOf(archive), limits)

  expect(picked.files.map(({ path }) => path)).toEqual(['a.tf'])
  expect(picked.faults).toEqual([expect.stringContaining('The archive is large')])
})

test.each([
  ['# Network\n\nMakes a **VPC**, see [docs](https://x). And more.\n', 'Makes a VPC, see docs.'],
  ['Network\n=======\nOne line\nand another\n\nno', 'One line and another'],
  ['![badge](x) [![b](y)](z)\n\n<img src=x>\n\n- list\n\n| a |\n\nText', 'Text'],
  ['', ''],
  [`# a\n\n${'long '.repeat(100)}`, expect.stringMatching(/^(long )+long…$|^.{199}…$/)],
  ['E. g. it works with AWS. And more.', 'E. g. it works with AWS.'],
])('the summary of %j', (readme, expected) => {
  expect(summaryOf(readme)).toEqual(expected)
})

test('an archive that cannot be got is an error that ends the reading, and not the process', async () => {
  const archive = archiveOf([{ path: 'a.tf', content: 'x'.repeat(5_000) }])
  async function* broken() {
    yield archive.subarray(0, 20)
    await Promise.resolve()
    throw new TacoError('BUCKET_UNAVAILABLE', 'The bucket does not answer.')
  }
  await expect(readArchive(broken(), () => Promise.resolve(emptyMetadata()))).rejects.toMatchObject({
    code: 'BUCKET_UNAVAILABLE',
  })
  const cut = piecesOf(archive.subarray(0, archive.length - 20))
  expect((await readArchive(cut, () => Promise.resolve(emptyMetadata()))).faults).toEqual([
    expect.stringContaining('cannot be read'),
  ])
})
