import { resolve } from 'node:path'
import { readCredential, writeCredential } from '../../config/credentials.ts'
import { writeRemembered } from '../../config/config-file.ts'
import { checkToken } from '../../config/settings.ts'
import { textOf } from '../../api/client.ts'
import type { Session } from '../../session.ts'
import { usageError } from '../../terminal/exit-codes.ts'
import { browserLogin } from './browser-login.ts'
import { deviceLogin } from './device-login.ts'
import { type Tool, isPlainLocal, rememberInEngines } from './engine-config.ts'
import { revoke } from './revoke.ts'
import { type SignIn, chosenServer, clientFor, discover } from './server.ts'
import { type Who, askWho } from './who.ts'
import { workloadLogin } from './workload-login.ts'

interface LoginOptions {
  readonly device?: boolean
  readonly tokenStdin?: boolean
  readonly workload?: boolean
  readonly idTokenFile?: string
  readonly browser?: boolean
  readonly for?: readonly (Tool | 'none')[]
}

export async function login(
  session: Session,
  [given]: readonly string[],
  options: LoginOptions,
): Promise<void> {
  const { output, world } = session
  const isJob = options.workload === true || options.idTokenFile !== undefined
  if ([options.device === true, options.tokenStdin === true, isJob].filter(Boolean).length > 1)
    throw usageError('--device, --token-stdin and --workload cannot be used together.', 'Use one of them.')
  const server = chosenServer(session, given)
  const client = clientFor(session, server)
  try {
    const signIn = await discover(client, server)
    if (signIn.auth === 'none') {
      output.note(`${server} asks for no credential (--auth none), so there is nothing to sign in to.`)
      if (output.asJson) output.json({ server, auth: signIn.auth })
      return
    }
    const isOwn = options.tokenStdin !== true && !isJob
    const token =
      options.tokenStdin === true
        ? await fromStdin(session)
        : await obtained(session, client, signIn, { ...options, workload: isJob })
    const { who } = await askedWith(session, server, token)
    const before = readCredential(world, server)
    const file = writeCredential(world, server, {
      token,
      who: who.principal,
      isOwn,
      ...(who.token?.expiresAt ? { expiresAt: who.token.expiresAt } : {}),
    })
    if (before?.isOwn === true && before.token !== token) {
      const failure = await revoke(session, server, before.token)
      if (failure !== undefined)
        output.warn(`the token of the sign-in before could not be revoked: ${failure}`)
    }
    becomeDefault(session, server)
    const engineFiles = rememberInEngines(world, toolsFor(server, who, options.for), server, {
      token,
      services: signIn.services,
    })
    report(session, { server, who, file, engineFiles })
  } finally {
    client.close()
  }
}

function obtained(
  session: Session,
  client: ReturnType<typeof clientFor>,
  signIn: SignIn,
  { device, browser, workload, idTokenFile }: LoginOptions,
): Promise<string> {
  if (signIn.auth === 'token') {
    throw usageError(
      'This server accepts only the root token (--auth token), so there is no sign-in with a browser.',
      'Keep the root token for this machine with `taco login --token-stdin`, or start the server with --auth sso.',
    )
  }
  if (workload === true) return workloadLogin(session, client, signIn, idTokenFile)
  const machine = session.world.who.split('@').at(-1) ?? ''
  if (device === true) return deviceLogin(session, client, machine)
  return browserLogin(session, client, signIn, { machine, opensBrowser: browser !== false })
}

async function fromStdin({ world }: Session): Promise<string> {
  if (world.stdin.isTTY === true) world.stderr.write('Paste the token, then press Enter and Ctrl-D:\n')
  const token = (await textOf(world.stdin)).trim()
  if (token !== '') return checkToken(token, 'the standard input')
  throw usageError('The standard input is empty.', 'Pipe the token to `taco login --token-stdin`.')
}

/** A token that the server refuses is not kept. */
async function askedWith(session: Session, server: string, token: string) {
  const client = clientFor(session, server, token)
  try {
    return await askWho(client)
  } finally {
    client.close()
  }
}

/** Only where nothing else was chosen. A file with a token for this server has been replaced by the login. */
function becomeDefault(session: Session, server: string): void {
  const { world, output, flags } = session
  const { tokenFile, ...remembered } = session.remembered()
  if (remembered.server === undefined && remembered.bucket === undefined) {
    const ca = flags.caFile === undefined ? {} : { caFile: resolve(world.cwd, flags.caFile) }
    writeRemembered(world, { ...remembered, server, ...ca })
  } else if (remembered.server === server) {
    if (tokenFile !== undefined) writeRemembered(world, remembered)
  } else {
    output.note(
      `the default stays ${remembered.server ?? remembered.bucket}; \`taco use ${server}\` changes it`,
    )
  }
}

/** The root token is not spread to further files unless someone asks for it. */
function toolsFor(server: string, { principal }: Who, asked: LoginOptions['for'] = []): readonly Tool[] {
  if (asked.length > 0) return asked.filter((tool) => tool !== 'none')
  return isPlainLocal(server) && principal.startsWith('user:') ? ['terraform', 'tofu'] : []
}

function report(
  { output, world }: Session,
  done: {
    readonly server: string
    readonly who: Who
    readonly file: string
    readonly engineFiles: readonly string[]
  },
): void {
  const { server, who, file, engineFiles } = done
  const { principal, token } = who
  if (output.asJson) {
    const files = [file, ...engineFiles]
    output.json({ server, principal, expiresAt: token?.expiresAt ?? null, files })
  } else output.say(`signed in to ${server} as ${principal.replace(/^user:/, '')}`)
  for (const written of engineFiles) output.note(`wrote ${written} for Terraform and OpenTofu`)
  const override = world.env['TF_CLI_CONFIG_FILE']
  if (engineFiles.length > 0 && override)
    output.warn(
      `TF_CLI_CONFIG_FILE is set, so engines read ${override} instead: unset it, or copy the blocks there`,
    )
  for (const name of ['TACO_TOKEN', 'TACO_TOKEN_FILE'])
    if (world.env[name]) output.warn(`${name} is set, and commands use it instead of this sign-in`)
}
