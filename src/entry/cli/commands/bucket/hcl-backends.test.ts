import { expect, test } from 'vitest'
import { backendsIn, replaced } from './hcl-backends.ts'

const says = (text: string) => backendsIn(text).map((one) => `${one.line}: ${one.says}`)

test('backends are found where they count, and nowhere else', () => {
  expect(says('terraform {\n  backend "s3" {\n    bucket = "x"\n  }\n}\n')).toEqual(['2: backend "s3"'])
  expect(says('terraform {\n cloud { workspaces { name = "a" } }\n}')).toEqual(['2: cloud'])
  expect(says('terraform { required_version = ">1" }\nterraform {\nbackend "local" {}\n}')).toEqual([
    '3: backend "local"',
  ])
})

test.each([
  ['# terraform { backend "s3" {} }'],
  ['// terraform {\n/* terraform {\n backend "s3" {} } */'],
  ['x = "terraform { backend \\"s3\\" {} }"'],
  ['x = "${"terraform { backend s3 {} }"} $${ {"'],
  ['x = <<EOT\nterraform {\n  backend "s3" {}\n}\nEOT\n'],
  ['x = <<-EOT\n  terraform {\n  backend "s3" {}\n  }\n  EOT\n'],
  ['resource "a" "b" {\n  backend "s3" {}\n}'],
  ['module "m" {\n  terraform {\n    backend "s3" {}\n  }\n}'],
  ['terraform {\n  required_providers {\n    backend = { source = "x" }\n  }\n}'],
  ['terraform {\n  backend "s3" {'],
])('%j has none', (text) => {
  expect(says(text)).toEqual([])
})

test('one block is replaced, and everything else stays byte for byte', () => {
  const before =
    '# läuft seit 2019\r\nterraform {\r\n\tbackend "s3" {\r\n\t\tkey = "}" # }\r\n\t}\t# here\r\n}\r\n\r\n'
  const [found] = backendsIn(before)

  const after = found && replaced(before, found, 'backend "http" {\n  address = "x"\n}')

  expect(after).toBe(
    '# läuft seit 2019\r\nterraform {\r\n\tbackend "http" {\r\n\t  address = "x"\r\n\t}\t# here\r\n}\r\n\r\n',
  )
})
