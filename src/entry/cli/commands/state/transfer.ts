import type { IncomingMessage } from 'node:http'
import { resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { TacoError, isTacoError, reasonOf } from '../../../../base/errors.ts'
import { versionAnswer } from '../../api/answers.ts'
import { unitPath } from '../../api/client.ts'
import type { Upload } from '../../api/client.ts'
import { uploadOf } from '../../api/file-upload.ts'
import { unreachable, usageError } from '../../terminal/exit-codes.ts'
import { besides, refuseDevices } from '../../../../base/host/private-file.ts'
import type { Session } from '../../session.ts'
import { check } from '../../api/check-answer.ts'
import { withUnit } from '../../config/unit-name.ts'
import { bytes } from '../../terminal/format.ts'

export async function pull(
  session: Session,
  [unit = '', version]: readonly string[],
  options: { readonly output?: string },
): Promise<void> {
  const { world, output } = session
  const client = await session.client()
  const path =
    version === undefined || version === 'current'
      ? '/state'
      : `/versions/${encodeURIComponent(version)}/state`
  const reply = await withUnit(session, unit, () =>
    client.send('GET', unitPath(unit, path), { accept: '*/*' }),
  )
  if (options.output === undefined || options.output === '-') {
    await copy(session, reply, async (part) => {
      if (!world.stdout.write(part)) await new Promise((done) => world.stdout.once('drain', done))
    })
    return
  }
  const target = resolve(world.cwd, options.output)
  const size = await writeWhole(target, (write) => copy(session, reply, write))
  if (output.asJson) return output.json({ unit, file: target, size })
  output.note(`wrote ${bytes(size)} to ${options.output}`)
}

/** The file is the old one or the whole new one, and private. */
async function writeWhole(
  target: string,
  fill: (write: (part: Buffer) => Promise<void>) => Promise<number>,
): Promise<number> {
  const { open, rename, rm } = await import('node:fs/promises')
  refuseDevices(target)
  const temporary = besides(target)
  try {
    const file = await open(temporary, 'wx', 0o600)
    let size: number
    try {
      size = await fill(async (part) => void (await file.writeFile(part)))
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporary, target)
    return size
  } catch (error) {
    await rm(temporary, { force: true })
    if (error instanceof TacoError) throw error
    throw new TacoError('UNEXPECTED', `Cannot write ${target}: ${reasonOf(error)}.`, {
      hint: 'Choose another file with -o.',
      cause: error,
    })
  }
}

/** A body that ends early is an error, never a shorter state. */
async function copy(
  session: Session,
  reply: IncomingMessage,
  write: (part: Buffer) => Promise<void>,
): Promise<number> {
  const declared = Number(reply.headers['content-length'] ?? Number.NaN)
  const progress = session.progress('pulling', Number.isNaN(declared) ? undefined : declared)
  let size = 0
  const cutOff = (cause?: unknown) =>
    unreachable('The connection closed in the middle of the state.', 'Run the same command again.', cause)
  try {
    for await (const part of guarded(reply, cutOff)) {
      await write(part)
      size += part.length
      progress.moved(part.length)
    }
  } finally {
    progress.done()
  }
  if (!reply.complete || (!Number.isNaN(declared) && size !== declared)) throw cutOff()
  return size
}

async function* guarded(reply: Readable, translate: (cause: unknown) => Error): AsyncGenerator<Buffer> {
  const parts = (reply as AsyncIterable<Buffer>)[Symbol.asyncIterator]()
  try {
    for (;;) {
      const next = await parts.next().catch((error: unknown) => {
        throw translate(error)
      })
      if (next.done === true) return
      yield next.value
    }
  } finally {
    reply.destroy()
  }
}

const FILE_HINT = 'Name the file that contains the state, or "-" for stdin.'

interface PushOptions {
  readonly lock?: string
  readonly message?: string
  readonly force?: boolean
  readonly keepSerial?: boolean
}

export async function push(
  session: Session,
  [unit = '', file = '']: readonly string[],
  options: PushOptions,
): Promise<void> {
  const { output } = session
  const client = await session.client()
  const upload = file === '-' ? await fromStdin(session) : await uploadOf(session.world, file, FILE_HINT)
  const progress = session.progress('pushing', upload.size)
  if (!Buffer.isBuffer(upload.content))
    upload.content.on('data', (part: Buffer) => progress.moved(part.length))
  let answer: unknown
  try {
    answer = await client.json('PUT', unitPath(unit, '/state'), {
      upload,
      query: {
        lock: options.lock,
        force: options.force === true ? true : undefined,
        keepSerial: options.keepSerial === true ? true : undefined,
        message: options.message,
      },
      idleMs: 300_000,
    })
  } catch (error) {
    throw isTacoError(error, 'STATE_SERIAL', 'STATE_LINEAGE', 'STATE_SAME_SERIAL')
      ? withForceHint(error)
      : error
  } finally {
    progress.done()
  }
  if (output.asJson) return output.json(answer)
  const version = check(versionAnswer, answer)
  output.say(
    `stored ${version.id} of ${unit}: number ${version.seq}, serial ${version.serial}, ${bytes(version.size)}`,
  )
}

function withForceHint(error: TacoError): TacoError {
  const hint = `${error.hint ?? 'Compare with `taco state show`.'} --force skips this check.`
  return new TacoError(error.code, error.message, { hint, facts: error.facts, cause: error })
}

async function fromStdin({ world }: Session): Promise<Upload> {
  if (world.stdin.isTTY === true)
    throw usageError(
      'Stdin is a terminal.',
      'Pipe the state in: `tofu state pull | taco state push <unit> -`.',
    )
  const parts: Buffer[] = []
  for await (const part of world.stdin as AsyncIterable<Buffer>) parts.push(part)
  const content = Buffer.concat(parts)
  const { createHash } = await import('node:crypto')
  return { size: content.length, md5: createHash('md5').update(content).digest('base64'), content }
}
