import { expect, test } from 'vitest'
import { edgesOf, namesOf, scanned } from '../../../test/support/graph.ts'

const rootHcl = `locals {
  account = read_terragrunt_config(find_in_parent_folders("account.hcl"))
  name    = local.account.locals.name
}
remote_state {
  backend = "s3"
  config = {
    bucket = "states-\${local.name}"
    key    = "\${path_relative_to_include()}/terraform.tfstate"
  }
}
`
const includesRoot = 'include "root" {\n  path = find_in_parent_folders("root.hcl")\n}\n'

test('terragrunt units are named after the keys that remote_state gives them', async () => {
  const report = await scanned({
    'live/root.hcl': rootHcl,
    'live/prod/account.hcl': 'locals {\n  name = "prod"\n}\n',
    'live/prod/vpc/terragrunt.hcl': includesRoot,
    'live/prod/app/terragrunt.hcl': `${includesRoot}dependency "vpc" {\n  config_path = "../vpc"\n}\ninputs = {\n  id = dependency.vpc.outputs.id\n}\n`,
  })

  expect(namesOf(report)).toEqual(['prod/app in live/prod/app', 'prod/vpc in live/prod/vpc'])
  expect(report.units.map(({ backend }) => backend)).toEqual([
    's3://states-prod/prod/app/terraform.tfstate',
    's3://states-prod/prod/vpc/terraform.tfstate',
  ])
  expect(edgesOf(report)).toEqual(['prod/app -> prod/vpc:id'])
  expect(report.remarks).toEqual([])
})

test('a key known only at run time is reported, and the folder gives the name', async () => {
  const report = await scanned({
    'root.hcl':
      'remote_state {\n  backend = "s3"\n  config = {\n    key = "${run_cmd("./key.sh")}/x"\n  }\n}\n',
    'a/terragrunt.hcl': includesRoot,
    'b/terragrunt.hcl': includesRoot,
  })

  expect(namesOf(report)).toEqual(['a in a', 'b in b'])
  expect(report.remarks).toMatchObject([
    { where: 'root.hcl', says: expect.stringContaining('computed') as string },
  ])
})

test('what terragrunt units include counts as theirs: dependencies, inputs, generated backends', async () => {
  const report = await scanned({
    'root.hcl': `generate "backend" {
  path      = "backend.tf"
  if_exists = "overwrite"
  contents  = <<EOF
terraform {
  backend "gcs" {
    bucket = "states"
    prefix = "\${path_relative_to_include()}"
  }
}
EOF
}
`,
    '_envcommon/app.hcl': `dependency "vpc" {
  config_path = "\${get_terragrunt_dir()}/../vpc"
}
dependency "beside" {
  config_path = "../dns"
}
inputs = merge({ region = "eu" }, { vpc = dependency.vpc.outputs.id })
`,
    'prod/vpc/terragrunt.hcl': includesRoot,
    'prod/dns/terragrunt.hcl': includesRoot,
    'prod/app/terragrunt.hcl': `${includesRoot}include "common" {
  path   = "\${dirname(find_in_parent_folders("root.hcl"))}/_envcommon/app.hcl"
  expose = true
}
inputs = {
  zone = dependency.beside.outputs.zone
}
`,
  })

  expect(namesOf(report)).toEqual(['prod/app in prod/app', 'prod/dns in prod/dns', 'prod/vpc in prod/vpc'])
  expect(edgesOf(report)).toEqual(['prod/app -> prod/dns:zone', 'prod/app -> prod/vpc:id'])
  expect(report.units[0]?.dependencies.map(({ inputs }) => inputs)).toEqual([{ zone: 'zone' }, { vpc: 'id' }])
  expect(report.units[0]?.backend).toBe('gs://states/prod/app/default.tfstate')
})

test('a missing include is reported, and makes no dependency smaller than it may be', async () => {
  const report = await scanned({
    'vpc/terragrunt.hcl': 'terraform {\n  source = "x"\n}\n',
    'app/terragrunt.hcl': `include "far" {\n  path = "/elsewhere/common.hcl"\n}\ndependency "vpc" {\n  config_path = "../vpc"\n}\n`,
  })

  expect(edgesOf(report)).toEqual(['app -> vpc:*'])
  expect(report.remarks).toEqual([
    { where: 'app/terragrunt.hcl', says: 'what it includes as far cannot be found: /elsewhere/common.hcl' },
  ])
})

test('an include that is broken makes no dependency smaller than it may be', async () => {
  const report = await scanned({
    'env.hcl': 'inputs = {\n  vpc_id = dependency.vpc.outputs.id\n',
    'vpc/terragrunt.hcl': 'terraform {\n  source = "x"\n}\n',
    'app/terragrunt.hcl': `include "env" {\n  path = "../env.hcl"\n}\ndependency "vpc" {\n  config_path = "../vpc"\n}\n`,
  })

  expect(edgesOf(report)).toEqual(['app -> vpc:*'])
  expect(report.faults).toMatchObject([{ file: 'env.hcl' }])
})

test('dependencies of a file that is read as a configuration are used by the file that names them', async () => {
  const unit = 'terraform {\n  source = "x"\n}\n'
  const reads = `${unit}locals {\n  deps = read_terragrunt_config(find_in_parent_folders("deps.hcl"))\n}\n`
  const report = await scanned({
    'deps.hcl':
      'dependency "vpc" {\n  config_path = "./vpc"\n}\ninputs = {\n  zone = dependency.vpc.outputs.zone\n}\n',
    'vpc/terragrunt.hcl': unit,
    'live/a/terragrunt.hcl': `${reads}inputs = {\n  id = local.deps.dependency.vpc.outputs.vpc_id\n}\n`,
    'live/b/terragrunt.hcl': `${reads}inputs = {\n  zone = local.deps.inputs.zone\n}\n`,
    'live/text/terragrunt.hcl': `${reads}inputs = {\n  zone = "eu-\${local.deps.inputs.zone}"\n}\n`,
    'live/c/terragrunt.hcl': `${reads}inputs = {\n  all = local.deps.dependency\n}\n`,
    'live/d/terragrunt.hcl': reads,
    'live/e/terragrunt.hcl': `${unit}inputs = {\n  id = local.none.dependency.db.outputs.id\n}\n`,
  })

  expect(edgesOf(report)).toEqual([
    'live/a -> vpc:vpc_id',
    'live/b -> vpc:zone',
    'live/c -> vpc:*',
    'live/text -> vpc:zone',
  ])
  expect(report.units[0]?.dependencies[0]?.inputs).toEqual({ id: 'vpc_id' })
  expect(report.unresolved).toMatchObject([{ dir: 'live/e', uses: 'dependency.db' }])
})

test('whose inputs an expression takes that is not understood, all that was read may give', async () => {
  const unit = 'terraform {\n  source = "x"\n}\n'
  const report = await scanned({
    'deps.hcl':
      'dependency "vpc" {\n  config_path = "./vpc"\n}\ninputs = {\n  zone = dependency.vpc.outputs.zone\n}\n',
    'vpc/terragrunt.hcl': unit,
    'app/terragrunt.hcl': `${unit}locals {\n  deps = read_terragrunt_config("../deps.hcl")\n}\ninputs = { for k, v in local.deps.inputs : k => v }\n`,
  })

  expect(edgesOf(report)).toEqual(['app -> vpc:zone'])
})

test('a file whose inputs need themselves is read to an end', async () => {
  const own = (name: string) => `${name} = read_terragrunt_config("loop.hcl").inputs.${name}\n`
  const report = await scanned({
    'loop.hcl': `inputs = {\n${own('a')}${own('b')}c = "c"\n}\n`,
    'app/terragrunt.hcl': `terraform {\n  source = "x"\n}\nlocals {\n  all = read_terragrunt_config("../loop.hcl")\n}\ninputs = local.all.inputs\n`,
  })

  expect(namesOf(report)).toEqual(['app in app'])
})

test('paths count from the root of the repository, though only a folder of it is scanned', async () => {
  const files = {
    'root.hcl': `remote_state {
  backend = "s3"
  config = {
    bucket = "b"
    key    = "\${get_path_from_repo_root()}/terraform.tfstate"
  }
}
`,
    'vpc/terragrunt.hcl': includesRoot,
    'app/terragrunt.hcl': `${includesRoot}dependency "vpc" {
  config_path = "\${get_repo_root()}/infra/live/vpc"
}
dependencies {
  paths = ["\${get_terragrunt_dir()}/\${get_path_to_repo_root()}/infra/live/vpc", "\${get_repo_root()}/other"]
}
`,
  }
  const inside = await scanned(files, { within: 'infra/live' })
  const nowhere = await scanned(files, { within: undefined })

  expect(namesOf(inside)).toEqual(['infra/live/app in app', 'infra/live/vpc in vpc'])
  expect(edgesOf(inside)).toEqual(['infra/live/app -> infra/live/vpc:'])
  expect(inside.unresolved).toMatchObject([{ dir: 'app', uses: 'dependencies' }])
  expect(namesOf(nowhere)).toEqual(['app in app', 'vpc in vpc'])
  expect(nowhere.remarks).toMatchObject([
    { where: 'root.hcl', says: expect.stringContaining('computed') as string },
  ])
  expect(nowhere.unresolved).toMatchObject([
    { uses: 'dependency.vpc' },
    { uses: 'dependencies' },
    { uses: 'dependencies' },
  ])
})

const stateAt = (key: string) =>
  `remote_state {\n  backend = "s3"\n  config = {\n    bucket = "b"\n    key = "${key}"\n  }\n}\n`

test.each([
  [
    'a file above',
    'read_terragrunt_config(find_in_parent_folders("e.hcl", "no.hcl"), { locals = { env = "dev" } })',
  ],
  ['a file outside', 'read_terragrunt_config("../../e.hcl", { locals = { env = "dev" } })'],
  ['a file of no code', '{ locals = { env = find_in_parent_folders("e.yaml", "dev") } }'],
])('what stands in for %s is not taken where that may be there', async (_what, file) => {
  const files = {
    'a/terragrunt.hcl': `terraform {\n  source = "x"\n}\nlocals {\n  e = ${file}\n}\n${stateAt('${local.e.locals.env}/a/terraform.tfstate')}`,
  }

  expect(namesOf(await scanned(files, { within: 'live' }))).toEqual(['a in a'])
})

test('a replacement is used where the whole repository lacks the file', async () => {
  const file =
    'read_terragrunt_config(find_in_parent_folders("e.hcl", "no.hcl"), { locals = { env = "dev" } })'
  const report = await scanned({
    'a/terragrunt.hcl': `terraform {\n  source = "x"\n}\nlocals {\n  e = ${file}\n}\n${stateAt('${local.e.locals.env}/a/terraform.tfstate')}`,
  })

  expect(namesOf(report)).toEqual(['dev/a in a'])
})

test.each([
  ['the way to an include that was not found', includesRoot, '${path_relative_to_include()}'],
  ['the name of the folder that is scanned', '', '${basename(get_parent_terragrunt_dir())}'],
  ['a path on this machine', '', 'all${get_repo_root()}'],
])('%s is no part of a key', async (_what, include, part) => {
  const unit = `terraform {\n  source = "x"\n}\n${include}${stateAt(`${part}/terraform.tfstate`)}`
  const report = await scanned({ 'terragrunt.hcl': unit })

  expect(report.units).toMatchObject([{ name: 'estate', backend: 's3, computed' }])
})

test('an included terragrunt.hcl is no unit, and the old include without a name is understood', async () => {
  const report = await scanned({
    'terragrunt.hcl':
      'terraform {\n  source = "git::x//${path_relative_to_include()}"\n}\nremote_state {\n  backend = "local"\n  config = {\n    path = "${get_parent_terragrunt_dir()}/${path_relative_to_include()}/x.tfstate"\n  }\n}\n',
    'a/terragrunt.hcl': 'include {\n  path = find_in_parent_folders()\n}\n',
  })

  expect(namesOf(report)).toEqual(['a in a'])
  expect(report.units[0]?.backend).toBe('local a/x.tfstate')
})

test('order-only and switched off dependencies of terragrunt are taken as such', async () => {
  const unit = 'terraform {\n  source = "x"\n}\n'
  const report = await scanned({
    'a/terragrunt.hcl': unit,
    'b/terragrunt.hcl': unit,
    'c/terragrunt.hcl': unit,
    'app/terragrunt.hcl': `dependency "a" {\n  config_path = "../a"\n  enabled = false\n}\ndependency "b" {\n  config_path = "../b"\n  skip_outputs = true\n}\ndependencies {\n  paths = [for x in ["c"] : "../\${x}"]\n}\n`,
  })

  expect(edgesOf(report)).toEqual(['app -> b:'])
  expect(report.unresolved).toMatchObject([{ dir: 'app', uses: 'dependencies' }])
})

test('stacks are reported as not read, and files of other programs are skipped', async () => {
  const report = await scanned({
    'live/terragrunt.stack.hcl':
      'unit "vpc" {\n  source = "x"\n  path = "vpc"\n}\nstack "apps" {\n  source = "y"\n  path = "apps"\n}\n',
    'image.pkr.hcl': 'source {',
    '.tflint.hcl': 'plugin {',
    'policy.hcl': 'broken {',
    'a/.terraform.lock.hcl': 'provider {',
    'a/terragrunt.hcl': 'include {\n  path = "../broken.hcl"\n}\n',
    'broken.hcl': 'locals {',
  })

  expect(report.remarks).toEqual([
    {
      where: 'live/terragrunt.stack.hcl',
      says: 'its units are not read: vpc, apps; add them to taco.yaml by hand',
    },
  ])
  expect(report.faults.map(({ file }) => file)).toEqual(['broken.hcl'])
})
