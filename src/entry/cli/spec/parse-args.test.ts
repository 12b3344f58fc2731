import { expect, test } from 'vitest'
import { TacoError } from '../../../base/errors.ts'
import { parseArgs } from './parse-args.ts'
import { program } from '../program.ts'

function parse(line: string, env: Record<string, string> = {}) {
  return parseArgs(program, line.split(' ').filter(Boolean), env)
}

function refusal(line: string, env: Record<string, string> = {}): TacoError {
  try {
    parse(line, env)
  } catch (error) {
    if (error instanceof TacoError) return error
  }
  throw new Error(`"${line}" was not refused`)
}

test('global options are understood before and after the command', () => {
  for (const line of [
    '--json --org acme unit ls prod/',
    'unit --json ls --org acme prod/',
    'unit ls prod/ --org=acme --json',
  ]) {
    expect(parse(line)).toMatchObject({
      path: ['unit', 'ls'],
      args: ['prod/'],
      flags: { json: true, org: 'acme' },
    })
  }
})

test('options with one dash, as both engines write them, are understood', () => {
  expect(parse('state push a b -lock=id-1 -force').options).toEqual({ lock: 'id-1', force: true })
  expect(parse('state push a b -lock id-1').options).toEqual({ lock: 'id-1' })
  expect(parse('unit ls -no-color').flags).toEqual(parse('unit ls --no-color').flags)
})

test('short options stand alone, together, and with their value attached', () => {
  expect(parse('events -f -n 5').options).toMatchObject({ follow: true, limit: 5 })
  expect(parse('events -fn5 -q')).toMatchObject({
    options: { follow: true, limit: 5 },
    flags: { quiet: true },
  })
  expect(parse('events -fqn 5')).toMatchObject({
    options: { follow: true, limit: 5 },
    flags: { quiet: true },
  })
})

test('a repeatable option gathers its values in order', () => {
  expect(parse('unit ls -l a=1 --label b=2').options).toEqual({ label: ['a=1', 'b=2'] })
})

test('a switch can be negated where its spec says so, and only there', () => {
  expect(parse('unit set x --no-allow-decrypt').options).toEqual({ allowDecrypt: false })
  expect(parse('unit ls --no-color').flags).toEqual({ color: false })
  expect(refusal('unit ls --no-json').message).toBe('There is no option --no-json.')
})

test('all that follows the command of exec belongs to it, with and without the two dashes', () => {
  expect(parse('exec prod/x --json -- tofu plan --json -out=x').args).toEqual([
    'prod/x',
    'tofu',
    'plan',
    '--json',
    '-out=x',
  ])
  expect(parse('exec prod/x tofu plan --json -out=x').args).toEqual([
    'prod/x',
    'tofu',
    'plan',
    '--json',
    '-out=x',
  ])
  expect(parse('exec prod/x tofu plan --json').flags).toEqual({})
})

test('an option comes from the command line before the environment before its default', () => {
  expect(parse('serve').options).toEqual({ listen: '127.0.0.1:8226' })
  expect(parse('serve', { TACO_LISTEN: '1', TACO_AUTH: 'token', TACO_INSECURE: 'true' }).options).toEqual({
    listen: '1',
    auth: 'token',
    insecure: true,
  })
  expect(parse('serve --listen 2', { TACO_LISTEN: '1' }).options).toMatchObject({ listen: '2' })
  expect(parse('serve', { TACO_LISTEN: '' }).options).toEqual({ listen: '127.0.0.1:8226' })
  expect(parse('serve', { TACO_INSECURE: '0' }).options).toMatchObject({ insecure: false })
})

test('a value from the environment is judged like one from the command line', () => {
  expect(refusal('serve', { TACO_AUTH: 'open' }).message).toMatch(/--auth must be none, token or sso/)
})

test('an optional value is taken only when it is attached', () => {
  expect(parse('backend x --write').options).toMatchObject({ write: true })
  expect(parse('backend --write x')).toMatchObject({ options: { write: true }, args: ['x'] })
  expect(parse('backend x --write=main.tf').options).toMatchObject({ write: 'main.tf' })
})

test('help is understood wherever it stands, alone and together with others', () => {
  for (const line of [
    'unit ls --help',
    'unit ls -h',
    'unit ls -qh',
    'unit -h ls',
    'help unit ls',
    'unit help ls',
  ])
    expect(parse(line)).toMatchObject({ path: ['unit', 'ls'], help: true })
  expect(parse('unit help')).toMatchObject({ path: ['unit'], help: true })
  expect(parse('-hq')).toMatchObject({ path: [], help: true, flags: { quiet: true } })
  expect(parse('unit show help')).toMatchObject({ args: ['help'], help: false })
})

test('an alias names the same command', () => {
  expect(parse('unit list')).toMatchObject({ path: ['unit', 'ls'] })
})

test.each([
  ['unti ls', /no command "unti"/, /Did you mean unit\?/],
  ['unit sho x', /no command "unit sho"/, /Did you mean show\?/],
  ['unit ls --serach x', /no option --serach/, /Did you mean --search\?/],
  ['unit show', /<unit> is missing/, /taco unit show --help/],
  ['unit show a b', /Unexpected argument "b"/, /taco unit show --help/],
  ['unit ls --search', /--search needs a value/, /taco unit ls --help/],
  ['unit ls --deleted=yes', /--deleted takes no value/, /--help/],
  ['state versions x -n 0', /whole number of 1 or more, not "0"/, /--help/],
  ['state versions x --limit 5x', /^--limit must be a whole number of 1 or more, not "5x"\.$/, /--help/],
  ['state versions x --limit 1e3', /whole number of 1 or more, not "1e3"/, /--help/],
  ['state versions x --limit 1234567890', /whole number of 1 or more/, /--help/],
  ['state versions x -n many', /whole number of 1 or more/, /--help/],
  ['backend x --kind gcs', /--kind must be http, cloud, remote or s3, not "gcs"/, /--help/],
  ['exec x', /<command> is missing/, /taco exec --help/],
  ['events -follw', /^There is no option -follw\.$/, /Did you mean --follow\?/],
  ['events -fx', /^There is no option -x in -fx\.$/, /taco events --help/],
  ['rollout work x --no-skip=1', /^--no-skip takes no value\.$/, /--help/],
  ['unit ls --hlep', /no option --hlep/, /Did you mean --help\?/],
  ['outputs prod/x', /no command "outputs prod\/x"/, /Its commands are show, log and diff/],
  ['versions', /no command "versions"/, /Did you mean `taco state versions`\?/],
  ['diff', /no command "diff"/, /Did you mean `taco state diff` or `taco outputs diff`\?/],
  ['apply', /no command "apply"/, /`taco exec <unit> -- tofu apply`/],
])('"%s" is refused with advice', (line, message, hint) => {
  const error = refusal(line)

  expect(error.code).toBe('BAD_REQUEST')
  expect(error.message).toMatch(message)
  expect(error.hint).toMatch(hint)
})
