import { randomBytes } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { type PackedEntry, archiveOf, tarOf } from '../../../test/support/archives.ts'
import { createArchiveCheck } from './archive-check.ts'

const limits = { maxEntries: 10, maxBytes: 2 ** 20 }

async function check(bytes: Buffer, size = 1000, given = limits): Promise<string> {
  const checking = await createArchiveCheck(given)
  try {
    for (let at = 0; at < bytes.length; at += size) await checking.push(bytes.subarray(at, at + size))
    await checking.finish()
    return 'fine'
  } catch (error) {
    expect(error).toMatchObject({ code: 'ARCHIVE_INVALID' })
    return (error as Error).message
  }
}

const file = (path: string): PackedEntry => ({ path, content: 'x' })
const link = (path: string, linkpath: string, type: PackedEntry['type'] = 'SymbolicLink'): PackedEntry => ({
  path,
  type,
  linkpath,
})
const folder = (path: string): PackedEntry => ({ path, type: 'Directory' })

test.each<readonly [string, readonly PackedEntry[]]>([
  ['files and folders', [folder('./'), folder('a/'), file('a/main.tf'), file('./b.tf')]],
  ['nothing', []],
  ['dots in names', [file('..a/b..'), file('a/...')]],
  ['a link beside', [file('a'), link('b', 'a')]],
  ['a link that climbs to the top', [folder('a/b'), link('a/b/c', '../..')]],
  ['a link to a link', [folder('a'), link('b', 'a'), link('c', 'b/main.tf')]],
  ['a hard link', [file('a/b'), link('c/d', 'a/b', 'Link')]],
  ['a long name', [file(`${'d'.repeat(90)}/${'f'.repeat(90)}`)]],
])('an archive with %s is accepted', async (_, entries) => {
  for (const size of [1, 1000, 2 ** 20]) expect(await check(archiveOf(entries), size)).toBe('fine')
})

test.each<readonly [string, readonly PackedEntry[], string]>([
  ['a name that climbs', [file('../a')], '"../a" is outside'],
  ['a name that climbs later', [file('a/../../b')], 'is outside'],
  ['a name that climbs on Windows', [file('a\\..\\..\\b')], 'is outside'],
  ['an absolute name', [file('/etc/passwd')], '"/etc/passwd" is outside'],
  ['a drive', [file('C:/x')], 'is outside'],
  ['a link out', [link('a', '../b')], 'leads to "../b", outside'],
  ['an absolute link', [link('a', '/etc')], 'leads to "/etc", outside'],
  ['a link out of a deep folder', [link('a/b/c', '../../../d')], 'outside'],
  ['a link that climbs behind another one', [link('a/b/up', '../..'), link('a/b/out', 'up/..')], 'outside'],
  ['a file below a link', [link('a', 'b'), file('a/c')], '"a/c" is below a link'],
  ['a file below a link in other case', [link('a', 'b'), file('A/c')], 'below a link'],
  ['a folder that becomes a link', [file('a/c'), link('a', 'b')], 'is a folder and a link'],
  ['a link that becomes a folder', [link('a', 'b'), folder('a')], 'is a link and a folder'],
  ['a hard link out', [link('a', '../b', 'Link')], 'outside'],
  ['an absolute hard link', [link('a', '/etc/passwd', 'Link')], 'outside'],
  ['a device', [{ path: 'a', type: 'BlockDevice' }], 'neither a file, a folder nor a link'],
  ['a character device', [{ path: 'a', type: 'CharacterDevice' }], 'neither'],
  ['a pipe', [{ path: 'a', type: 'FIFO' }], 'neither'],
  ['too many entries', Array.from({ length: 11 }, (_, i) => file(`f${i}`)), 'more than 10 entries'],
])('an archive with %s is refused', async (_, entries, why) => {
  for (const size of [1, 1000, 2 ** 20]) expect(await check(archiveOf(entries), size)).toContain(why)
})

test.each<readonly [string, () => Buffer, string]>([
  ['random bytes', () => randomBytes(5000), 'not compressed with gzip'],
  ['a tar without gzip', () => tarOf([file('a')]), 'not compressed with gzip'],
  ['nothing', () => Buffer.alloc(0), ''],
  ['gzip of nothing', () => gzipSync(''), 'empty'],
  ['gzip of another thing', () => gzipSync(randomBytes(5000)), 'not a valid tar archive'],
  ['gzip of gzip', () => gzipSync(archiveOf([{ path: 'a', content: randomBytes(900) }])), 'compressed twice'],
  ['half of it', () => archiveOf([{ path: 'a', content: randomBytes(9000) }]).subarray(0, 5000), 'damaged'],
  [
    'half of the tar',
    () => gzipSync(tarOf([{ path: 'a', content: randomBytes(9000) }]).subarray(0, 5120)),
    'not a valid tar',
  ],
  [
    'a bomb',
    () => archiveOf([{ path: 'a', content: Buffer.alloc(2 ** 24) }]),
    'more than 1048576 bytes unpacked',
  ],
  [
    'zeros behind the end',
    () => gzipSync(Buffer.concat([tarOf([file('a')]), Buffer.alloc(2 ** 24)])),
    'more than',
  ],
])('%s is refused', async (_, make, why) => {
  const bytes = make()
  for (const size of [100, 2 ** 25]) expect(await check(bytes, size)).toContain(why)
})

test('an archive that was refused takes no more', async () => {
  const checking = await createArchiveCheck(limits)
  const bytes = archiveOf([file('../a'), file('b')])
  await expect(checking.push(bytes)).rejects.toThrow('outside')
  await expect(checking.push(bytes)).rejects.toThrow('outside')
  await expect(checking.finish()).rejects.toThrow('outside')
})
