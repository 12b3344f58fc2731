import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { engines } from '../../rig/engines.ts'
import { makeRepository } from '../../rig/repository.ts'
import { startServer } from '../../rig/server.ts'
import { tempFolder } from '../../rig/temp.ts'

const backend = 'terraform {\n  backend "http" {}\n}\n'
const lines = 'one\ntwo $${x} %%{y}\n'

const network = (cidr: string) => `${backend}
output "cidr" { value = "${cidr}" }
output "code" { value = "007" }
output "lines" { value = ${JSON.stringify(lines)} }
output "names" { value = ["a", "$\${x}"] }
output "secret" {
  value     = "s3cret-value"
  sensitive = true
}
`

/** Without types: an engine that reads such a value as an expression makes another one of it. */
const app = (file: string) => `${backend}
variable "cidr" {}
variable "code" {}
variable "lines" { type = any }
variable "names" {}
variable "secret" { sensitive = true }
variable "size" {}
resource "terraform_data" "it" {
  triggers_replace = [var.cidr, var.code, var.lines, var.names, var.size]
  provisioner "local-exec" {
    command = "env > '${file}.env'"
  }
}
resource "terraform_data" "kept" {
  input = jsonencode([var.cidr, var.code, var.lines, var.names, var.size, nonsensitive(var.secret)])
}
output "all" { value = terraform_data.kept.output }
`

const yaml = `units:
  network: {}
  app:
    var_files: [old.tfvars]
    variables: { size: "010" }
    dependencies:
      network: [cidr, code, lines, names, secret]
`

describe.each(engines())('values in a rollout with $name', (engine) => {
  test.each([[[]], [['--plan']]])(
    'inputs are exactly what stands, whatever files lie about: %j',
    async (args) => {
      const { url } = await startServer()
      const temporary = await tempFolder()
      const repo = await makeRepository(
        engine,
        { TACO_SERVER: url, TMPDIR: temporary },
        {
          'taco.yaml': yaml,
          'network/main.tf': network('10/8'),
          'app/old.tfvars': 'cidr = "of a variable file"\nsize = 1\n',
        },
      )
      await repo.write('app/main.tf', app(join(repo.root, 'seen')))
      await repo.must('sync', '--yes')
      await repo.must('rollout', 'start', '--from', 'network', '--work', ...args)
      await repo.must('inputs', 'app', '--write', '--sensitive')

      await repo.write('network/main.tf', network('11/8'))
      await repo.must('rollout', 'start', '--from', 'network', '--work', ...args)

      const outputs = JSON.parse(await repo.must('outputs', 'show', 'app', '--json')) as {
        outputs: readonly { name: string; value: string }[]
      }
      const all = JSON.parse(outputs.outputs.find(({ name }) => name === 'all')?.value ?? '') as unknown
      expect(all).toEqual(['11/8', '007', 'one\ntwo ${x} %{y}\n', ['a', '${x}'], '010', 's3cret-value'])
      expect(await repo.must('status')).toContain('all 2 units are up to date')
      // A plan is given the same, so it finds nothing to do.
      const planned = JSON.parse(await repo.must('plan', 'app', '--json')) as unknown
      expect(planned).toEqual({ items: [{ unit: 'app', outcome: 'no-changes' }] })
      const affected = JSON.parse(await repo.must('plan', '--affected', '--json')) as {
        items: readonly { unit: string; outcome: string }[]
      }
      expect(affected.items.map(({ unit, outcome }) => `${unit} ${outcome}`).toSorted()).toEqual([
        'app skipped',
        'network skipped',
      ])
      // What a provisioner starts has no business with it.
      expect(await readFile(join(repo.root, 'seen.env'), 'utf8')).not.toContain('s3cret-value')
      expect(await readdir(temporary)).toEqual([])
    },
  )

  test('a unit whose variables take other outputs than before is applied again', async () => {
    const { url } = await startServer()
    const mapped = (inputs: string) => `units:
  network: {}
  app:
    dependencies:
      network: ${inputs}
`
    const repo = await makeRepository(
      engine,
      { TACO_SERVER: url },
      {
        'taco.yaml': mapped('{}'),
        'network/main.tf': network('10/8'),
        'app/main.tf': `${backend}
variable "v" { default = "nothing" }
data "terraform_remote_state" "network" {
  backend = "http"
  config  = { address = "${url}/v1/backend/default/network?consumer=app" }
}
output "v" { value = "\${var.v} of \${data.terraform_remote_state.network.outputs.code}" }
`,
      },
    )
    const rollOut = async () => {
      await repo.must('sync', '--yes')
      await repo.must('rollout', 'start', '--from', 'app', '--work')
      return JSON.parse(await repo.must('outputs', 'show', 'app', '--json')) as unknown
    }
    await repo.must('sync', '--yes')
    await repo.must('rollout', 'start', '--from', 'network', '--work')
    expect(await rollOut()).toMatchObject({ outputs: [{ name: 'v', value: 'nothing of 007' }] })

    await repo.write('taco.yaml', mapped('{ outputs: all, inputs: { v: cidr } }'))

    expect(await rollOut()).toMatchObject({ outputs: [{ name: 'v', value: '10/8 of 007' }] })
  })
})
