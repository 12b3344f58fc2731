import { expect, test } from 'vitest'
import { readStateKey, unitNameFor } from './adopt-names.ts'
import { parseNewUnitName } from '../documents/names.ts'

test.each([
  ['terraform.tfstate', false, 'default', 'plain'],
  ['prod/network/terraform.tfstate', false, 'prod/network', 'plain'],
  ['live/eu-west-1/vpc/terraform.tfstate', false, 'live/eu-west-1/vpc', 'plain'],
  ['network.tfstate', false, 'network', 'plain'],
  ['some/key/without/suffix', false, 'some/key/without/suffix', 'plain'],
  ['env:/staging/prod/app/terraform.tfstate', false, 'prod/app/staging', 's3-workspace'],
  ['env:/staging/app.tfstate', false, 'app/staging', 's3-workspace'],
  ['team/env:/dev/app.tfstate', false, 'team/app/dev', 's3-workspace'],
  ['prod/app.tfstateenv:staging', false, 'prod/app/staging', 'azurerm-workspace'],
  ['prod/default.tfstate', true, 'prod', 'gcs-workspace'],
  ['prod/blue.tfstate', true, 'prod/blue', 'gcs-workspace'],
  ['prod/a@b+c--d/terraform.tfstate', false, 'prod/a_b_c-d', 'plain'],
])('the key %s is the unit %s', (key, besideDefault, name, layout) => {
  const reading = readStateKey(key, besideDefault)

  expect(unitNameFor(reading, undefined, '')).toBe(name)
  expect(parseNewUnitName(name)).toBe(name)
  expect(reading.layout).toBe(layout)
})

test('a pattern inserts the path, relative to the folder searched, at its placeholder', () => {
  const reading = readStateKey('old/estate/db/terraform.tfstate', false)

  expect(unitNameFor(reading, 'prod/{path}', 'old/estate/')).toBe('prod/db')
  expect(unitNameFor(reading, 'prod/{path}/{workspace}', '')).toBe('prod/old/estate/db/default')
})
