import { usageError } from '../../terminal/exit-codes.ts'
import type { Remembered } from '../../config/config-file.ts'
import { configPath, forget, writeRemembered } from '../../config/config-file.ts'
import type { Session } from '../../session.ts'
import { bucketAddress, serverAddress } from '../../config/settings.ts'
import { checkBucketAddress, shownTarget } from '../../config/shown-target.ts'
import { resolve } from 'node:path'

/** Does not check whether the address answers: it may be set before the server runs. `doctor` checks. */
export async function use(
  session: Session,
  [address]: readonly string[],
  options: { readonly forget?: boolean },
): Promise<void> {
  if (options.forget === true) {
    if (address !== undefined)
      throw usageError('An address and --forget cannot be used together.', 'Use one of them.')
    forget(session.world)
    session.output.note(
      'forgotten: without --server, --bucket or a variable the server is http://127.0.0.1:8226',
    )
    if (session.output.asJson) session.output.json({})
    return
  }
  if (address === undefined) return await showCurrent(session)
  await remember(session, address)
}

async function remember(session: Session, address: string): Promise<void> {
  const { world, flags, output } = session
  if (flags.server !== undefined || flags.bucket !== undefined) {
    throw usageError(
      '--server and --bucket cannot be used with `taco use`.',
      'Give the address as the argument: `taco use s3://states`.',
    )
  }
  const isServer = /^https?:\/\//i.test(address)
  if (!isServer && /^[\w.-]+:\d+$/.test(address))
    throw usageError(`The address ${address} has no scheme.`, `Write http://${address} for a server.`)
  const remembered: Remembered = {
    ...(isServer ? { server: serverAddress(address) } : { bucket: bucketAddress(address, world.cwd) }),
    ...(flags.org === undefined ? {} : { org: flags.org }),
    ...(flags.tokenFile === undefined ? {} : { tokenFile: resolve(world.cwd, flags.tokenFile) }),
    ...(flags.caFile === undefined ? {} : { caFile: resolve(world.cwd, flags.caFile) }),
  }
  if (remembered.bucket !== undefined) await checkBucketAddress(session.world, remembered.bucket)
  const path = writeRemembered(world, remembered)
  if (output.asJson) return output.json({ ...remembered, file: path })
  output.say(
    `using ${isServer ? 'the server' : 'the bucket'} ${remembered.server ?? remembered.bucket ?? ''}`,
  )
  output.note(
    isServer
      ? 'next: `taco doctor` checks that it answers'
      : 'next: `taco adopt` finds states that are already there',
  )
}

async function showCurrent(session: Session): Promise<void> {
  const { output, world } = session
  const target = await shownTarget(session)
  const file = configPath(world)
  if (output.asJson)
    return output.json({ [target.kind]: target.address, from: target.from, org: session.org(), file })
  const where = {
    flag: 'the command line',
    environment: 'the environment',
    remembered: file,
    default: 'nothing else is chosen',
  }
  output.facts([
    [target.kind, target.address],
    ['because of', where[target.from]],
    ['organization', session.org()],
    ['token file', session.remembered().tokenFile],
    ['CA file', session.remembered().caFile],
  ])
}
