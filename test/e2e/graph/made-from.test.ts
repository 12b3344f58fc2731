import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { engines, type Engine } from '../../rig/engines.ts'
import { httpBackend } from '../../rig/hcl.ts'
import { startServer } from '../../rig/server.ts'
import { runTaco } from '../../rig/taco.ts'
import { type Workdir, workdir } from '../../rig/workdir.ts'

const Status = z.object({
  asOf: z.string(),
  items: z.array(
    z.looseObject({
      status: z.string(),
      at: z.string().nullable(),
      reasons: z.array(z.looseObject({ says: z.string() })),
    }),
  ),
})

const upstream = (url: string, values: { zone: string; secret?: string }) =>
  `${httpBackend(url, 'p')}
output "zone" {
  value = "${values.zone}"
}
output "zone2" {
  value = "other"
}
output "secret" {
  value     = "${values.secret ?? 's'}"
  sensitive = true
}
`

/** Takes its values from variables. */
const byVariables = (url: string, code: string) =>
  `${httpBackend(url, 'u')}
variable "zone" {}
variable "pw" {
  default = ""
}
resource "terraform_data" "u" {
  input = [var.zone, var.pw, "${code}"]
}
output "zone" {
  value = var.zone
}
`

const remoteState = (url: string, name: string, more = '') => `
data "terraform_remote_state" "${name}" {
  backend = "http"
  config = {
    address = "${url}/v1/backend/default/p?consumer=u"
  }
${more}
}
`

/** Repeats what it reads. */
const byRemoteState = (url: string) =>
  `${httpBackend(url, 'u')}${remoteState(url, 'p')}
output "zone" {
  value = data.terraform_remote_state.p.outputs.zone
}
`

/** Reads twice, the second time only after its resource has been replaced. */
const byDeferredRead = (url: string, code: string) =>
  `${httpBackend(url, 'u')}${remoteState(url, 'first')}${remoteState(url, 'second', '  depends_on = [terraform_data.trigger]')}
resource "terraform_data" "trigger" {
  triggers_replace = "${code}"
}
resource "terraform_data" "u" {
  input = [data.terraform_remote_state.first.outputs.zone, data.terraform_remote_state.second.outputs.zone]
}
`

async function estate(engine: Engine, code: (url: string) => string) {
  const { url } = await startServer()
  const p = await workdir(engine, upstream(url, { zone: 'a' }))
  const u = await workdir(engine, code(url))
  const taco = (...args: string[]) => runTaco(['--server', url, ...args], { cwd: u.folder, env: u.env })
  const apply = async (at: Workdir, text: string) => {
    await at.write('main.tf', text)
    await at.must(['apply', '-auto-approve'])
  }
  await p.must(['init'])
  await p.must(['apply', '-auto-approve'])
  await u.must(['init'])
  expect(await taco('unit', 'create', 'u')).toMatchObject({ code: 0 })
  return {
    url,
    u,
    taco,
    async ok(...args: string[]) {
      const done = await taco(...args)
      expect(done, done.output).toMatchObject({ code: 0 })
    },
    changeP: (values: { zone: string; secret?: string }) => apply(p, upstream(url, values)),
    changeU: (text: string) => apply(u, text),
    async status(): Promise<string | undefined> {
      const answer = await fetch(`${url}/v1/status?unit=u&direction=none`)
      const { items, asOf } = Status.parse(await answer.json())
      expect(items.every(({ at }) => at === null || at <= asOf)).toBe(true)
      return items[0]?.status
    },
  }
}

describe.each(engines())('what a state was made from, with $name', (engine) => {
  test('a refused fetch is no read', async () => {
    const at = await estate(engine, (url) => byVariables(url, '1'))
    await at.ok('dep', 'add', 'u', '--on', 'p', '--input', 'pw=secret', '--input', 'zone=zone')
    await at.ok('inputs', 'u', '--write', '--sensitive')
    await at.changeU(byVariables(at.url, '1'))
    expect(await at.status()).toBe('up-to-date')
    await at.changeP({ zone: 'b', secret: 't' })
    expect(await at.taco('inputs', 'u', '--write')).toMatchObject({ code: 5 })
    await at.ok('inputs', 'u')
    await at.changeU(byVariables(at.url, '2'))

    expect(await at.status()).toBe('stale')
  })

  test('an input that takes another output now is not up to date, until that was given', async () => {
    const at = await estate(engine, (url) => byVariables(url, '1'))
    await at.ok('dep', 'add', 'u', '--on', 'p', '--input', 'zone=zone')
    await at.ok('inputs', 'u', '--write')
    await at.changeU(byVariables(at.url, '1'))
    expect(await at.status()).toBe('up-to-date')
    await at.ok('dep', 'add', 'u', '--on', 'p', '--input', 'zone=zone2')
    expect(await at.status()).toBe('unknown')
    await at.ok('inputs', 'u', '--write')
    await at.u.must(['apply', '-auto-approve'])

    expect(await at.status()).toBe('up-to-date')
  })

  test('a refresh that changes outputs counts with what it read', async () => {
    const at = await estate(engine, byRemoteState)
    await at.u.must(['apply', '-auto-approve'])
    await at.changeP({ zone: 'b' })
    await at.u.must(['refresh'])
    await at.changeP({ zone: 'a' })

    expect((await at.u.must(['output', '-raw', 'zone'])).stdout).toBe('b')
    expect(await at.status()).not.toBe('up-to-date')
    await at.u.must(['apply', '-auto-approve'])
    expect(await at.status()).toBe('up-to-date')
  })

  test('a refresh with an older file of variables is not up to date', async () => {
    const at = await estate(engine, (url) => byVariables(url, '1'))
    await at.ok('dep', 'add', 'u', '--on', 'p', '--input', 'zone=zone')
    await at.ok('inputs', 'u', '--write=old.tfvars.json')
    await at.u.must(['apply', '-auto-approve', '-var-file=old.tfvars.json'])
    await at.changeP({ zone: 'b' })
    await at.ok('inputs', 'u', '--write')
    await at.u.must(['apply', '-auto-approve'])
    expect(await at.status()).toBe('up-to-date')
    await at.u.must(['refresh', '-var-file=old.tfvars.json'])

    expect((await at.u.must(['output', '-raw', 'zone'])).stdout).toBe('a')
    expect(await at.status()).not.toBe('up-to-date')
  })

  test('a deferred read does not displace what the saved plan had read', async () => {
    const at = await estate(engine, (url) => byDeferredRead(url, '1'))
    await at.u.must(['apply', '-auto-approve'])
    expect(await at.status()).toBe('up-to-date')
    await at.u.write('main.tf', byDeferredRead(at.url, '2'))
    await at.u.must(['plan', '-out=saved'])
    await at.changeP({ zone: 'b' })
    await at.u.must(['apply', 'saved'])
    expect((await at.u.must(['show'])).stdout).toContain('"a"')

    expect(await at.status()).toBe('unknown')
  })

  test('the same file again, with nothing new to fetch, is up to date', async () => {
    const at = await estate(engine, (url) => byVariables(url, '1'))
    await at.ok('dep', 'add', 'u', '--on', 'p', '--input', 'zone=zone')
    await at.ok('inputs', 'u', '--write')
    await at.changeU(byVariables(at.url, '1'))
    await at.changeU(byVariables(at.url, '2'))
    expect(await at.status()).toBe('up-to-date')
    await at.changeP({ zone: 'b' })
    await at.changeU(byVariables(at.url, '3'))

    expect(await at.status()).toBe('stale')
  })
})
