import { generateKeySync } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { engines } from '../rig/engines.ts'
import { runTaco } from '../rig/taco.ts'
import { tempFolder } from '../rig/temp.ts'
import { workdir } from '../rig/workdir.ts'

const SECRET = 'hunter2-very-secret'
const ODD = 'a "q" ${x} %{y} \\ \u0001 ü'

const code = `terraform {
  backend "http" {}
}
variable "region" {}
variable "text" {}
variable "zones" { type = list(string) }
variable "untyped" {}
variable "from_file" {}
variable "from_environment" {}
variable "password" { sensitive = true }
output "seen" {
  value = [var.region, var.text, var.zones, var.untyped, var.from_file, var.from_environment]
}
output "length" {
  value = nonsensitive(length(var.password))
}
`

describe.each(engines())('variables with $name', (engine) => {
  test('taco exec gives a unit its variables, stronger than files and weaker than the person', async () => {
    const work = await workdir(engine, code)
    await work.write('terraform.tfvars', 'from_file = "file"\nregion = "file"\n')
    await work.write('secret.txt', `${SECRET}\n`)
    const values = { region: 'stored', text: ODD, zones: ['a', 'b'], untyped: { a: [1] } }
    await work.write('stored.json', JSON.stringify(values))
    await work.write('stored.env', 'TF_VAR_from_environment=environment\n')
    const key = generateKeySync('hmac', { length: 256 }).export().toString('base64')
    const env = { ...work.env, TACO_SECRET_KEY: `k1:${key}`, TACO_BUCKET: `file://${await tempFolder()}` }
    async function taco(args: readonly string[], more: Readonly<Record<string, string>> = {}) {
      const ended = await runTaco(args, { cwd: work.folder, env: { ...env, ...more } })
      expect(ended, ended.output).toMatchObject({ code: 0 })
      expect(ended.output).not.toContain(SECRET)
      return ended
    }
    const exec = (args: readonly string[], more?: Readonly<Record<string, string>>) =>
      taco(['exec', 'app', '--', engine.path, ...args], more)
    const outputs = async () =>
      JSON.parse((await exec(['output', '-json'])).stdout) as Record<string, { value: unknown }>

    await taco(['unit', 'create', 'app'])
    await taco(['var', 'import', 'stored.json', 'stored.env', '--unit', 'app'])
    await taco(['var', 'set', 'password', '--sensitive', '--from-file', 'secret.txt', '--unit', 'app'])
    await exec(['init'])
    await exec(['apply', '-auto-approve', '-no-color'])
    expect(await outputs()).toMatchObject({
      seen: { value: ['stored', ODD, ['a', 'b'], { a: [1] }, 'file', 'environment'] },
      length: { value: SECRET.length },
    })

    // The newest tofu refuses a saved plan if a file in the folder says something else.
    await work.write('terraform.tfvars', 'from_file = "file"\n')
    await exec(['plan', '-out', 'saved', '-var', 'text=mine'], { TF_VAR_zones: '["exported"]' })
    await exec(['apply', 'saved'])
    const after = ['stored', 'mine', ['exported'], { a: [1] }, 'file', 'environment']
    expect(await outputs()).toMatchObject({ seen: { value: after } })
  })
})
