/** Increments a counter in a folder by compare-and-swap until it is killed or done, and prints the answers. */
import { writeSync } from 'node:fs'
import process from 'node:process'
import { isTacoError } from '../../../src/base/errors.ts'
import { openFileBucket } from '../../../src/bucket/adapters/file/index.ts'
import { bodyOf } from '../../../src/bucket/body.ts'

const [root = '', key = '', share = '0'] = process.argv.slice(2)
const bucket = await openFileBucket({ root })
for (let done = 0; done < Number(share);) {
  try {
    const found = await bucket.get(key)
    const next = found === undefined ? 1 : Number((await found.bytes()).toString()) + 1
    const answer = await bucket.put(key, bodyOf(String(next)), found?.tag ?? 'absent')
    if (answer.kind === 'conflict') continue
    done++
    writeSync(1, `raised to ${next}\n`)
  } catch (error) {
    if (!isTacoError(error, 'BUCKET_UNAVAILABLE')) throw error
    writeSync(1, `unknown: ${error.message}\n`)
  }
}
