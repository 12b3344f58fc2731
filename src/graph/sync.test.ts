import { expect, test } from 'vitest'
import { alice, openControl } from '../state/testing.ts'
import { createSync } from './sync.ts'
import { org } from './testing.ts'

test.each([true, false])(
  'a project with a name that no unit is given is refused before anything is made (dry run: %s)',
  async (dryRun) => {
    const control = await openControl()
    const units = ['a', 'y.tfstate'].map((name) => ({ name, labels: {}, dependencies: [] }))

    const refused = createSync(control).sync(org, units, { dryRun }, alice)

    await expect(refused).rejects.toMatchObject({ code: 'BAD_REQUEST', facts: { field: 'unit' } })
    expect((await control.units.list({ org, limit: 10 })).items).toEqual([])
  },
)
