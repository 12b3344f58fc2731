import { shell } from '../../shell/command-line.ts'
import type { Faults } from '../../shell/faults.ts'
import { SelectField, optionsOf } from '../../shell/form/select-field.tsx'
import { TextField } from '../../shell/form/text-field.tsx'
import { Form } from '../../shell/layout.tsx'
import type { Arranged } from '../../shell/list.tsx'
import { Card, Command, Split } from '../../shell/parts.tsx'
import { UnitFrame, type UnitPage } from '../frame.tsx'
import type { GrantRow, UnitAccess } from './gather.ts'
import { GrantsCard } from './grants-card.tsx'
import { GuardCard, type GuardInput } from './guard-card.tsx'
import { AskBox, OwnRights } from './rights-card.tsx'

export interface GrantInput {
  readonly to: string
  readonly role: string
}

/** What was typed into one of the forms, and what is wrong with it. */
export type AccessAgain =
  | { readonly form: 'grant'; readonly input: GrantInput; readonly faults: Faults }
  | { readonly form: 'guard' | 'break'; readonly input: GuardInput; readonly faults: Faults }

const NO_GRANT: { readonly input: GrantInput; readonly faults: Faults } = {
  input: { to: '', role: 'reader' },
  faults: {},
}

interface AccessPageProps {
  readonly page: UnitPage
  readonly path: string
  readonly access: UnitAccess
  readonly who: string
  readonly list: Arranged<GrantRow> | undefined
  readonly now: number
  readonly again?: AccessAgain | undefined
}

export function AccessPage({ page, path, access, list, who, now, again }: AccessPageProps) {
  const { view, unit } = page
  const { grants, guards, broken, rights, faults, roles } = access
  const grant = again?.form === 'grant' ? again : NO_GRANT
  const guarding = again?.form === 'grant' ? undefined : again
  return (
    <UnitFrame of={page} tab="access">
      <Split
        side={
          <>
            {grants !== undefined && <AskBox path={path} who={who} rights={rights} faults={faults} />}
            <OwnRights page={page} />
            <Command>{shell`taco access explain ${who === '' ? 'alice' : who} state:write ${unit.name}`}</Command>
          </>
        }
      >
        <GuardCard page={page} path={path} guards={guards} broken={broken} now={now} again={guarding} />
        {list !== undefined && <GrantsCard view={view} path={path} list={list} who={who} />}
        {view.may('role:manage') && (
          <Card title="Give a role on this unit">
            <Form view={view} action={`${path}/grant`} class="form">
              <TextField
                id="to"
                label="To"
                hint="user:alice, team:ops, group:okta/platform, email:bob@example.com, or everyone."
                value={grant.input.to}
                faults={grant.faults}
                isRequired
              />
              <SelectField
                id="role"
                label="Role"
                hint="It applies to this unit only, even after a rename."
                value={grant.input.role}
                options={optionsOf(roles)}
                faults={grant.faults}
              />
              <div>
                <button class="button primary" type="submit">
                  Give the role
                </button>
              </div>
            </Form>
          </Card>
        )}
      </Split>
    </UnitFrame>
  )
}
