import { z } from 'zod'
import { BUILT_IN_ROLES, type OrgPolicy, type Role, findRole, partEtag } from '../../../../../access/index.ts'
import { TacoError, badRequest, isTacoError } from '../../../../../base/errors.ts'
import { deleteRole, storeRole } from '../../../kit/access/roles.ts'
import type { Exchange } from '../../../kit/exchange.ts'
import { seeOther } from '../../../kit/response/redirect.ts'
import type { Route } from '../../../kit/routes/route.ts'
import { orgForm, orgPage } from '../../org-page.ts'
import type { WebServices } from '../../services.ts'
import { checkConfirmed } from '../../shell/confirm.tsx'
import { type Faults, faultsAt } from '../../shell/faults.ts'
import { setFlash } from '../../shell/flash.ts'
import { htmlReply, partReply } from '../../shell/render.ts'
import type { OrgView } from '../../shell/view.ts'
import { peoplePath, rolePath } from '../frame.tsx'
import { directoryOf, grantsIn, peopleIn } from '../roster.ts'
import { NEW_ROLE, NEW_RULE, type RoleInput, readRule, roleInputOf, ruleInputsOf } from './role-form.ts'
import { RuleWords } from './role-editor.tsx'
import { RolePage } from './role-page.tsx'

const text = z.string().trim().default('')
/** A field that the form has once for each rule. */
const each = z
  .union([z.string(), z.array(z.string())])
  .default([])
  .transform((given) => (typeof given === 'string' ? [given] : given))

interface Request {
  readonly org: string
  readonly view: OrgView
  readonly x: Exchange
}

interface Shown {
  /** As it is stored or built in. Undefined: a new one. */
  readonly role?: Role | undefined
  readonly input: RoleInput
  /** Of the role that the person began to change. Undefined: as it is now. */
  readonly etag?: string
  readonly faults?: Faults
  /** Someone else changed it first. */
  readonly isOvertaken?: boolean
}

async function rolePage({ org, view, x }: Request, services: WebServices, shown: Shown) {
  const { role, faults = {}, isOvertaken = false } = shown
  const policy = await services.orgAccess.get(org, x.caller)
  const stored = policy.roles.find(({ name }) => name === role?.name)
  const [known, projects] = await Promise.all([
    directoryOf(peopleIn(policy), services.signIn?.people),
    services.projects.fresh(policy.org),
  ])
  const grants = (await grantsIn(policy, known, projects)).filter((one) => one.role === role?.name)
  const status = isOvertaken ? 409 : Object.keys(faults).length > 0 ? 400 : 200
  return htmlReply(
    <RolePage
      view={view}
      {...shown}
      etag={shown.etag ?? partEtag(stored)}
      isStored={stored !== undefined}
      isBuiltIn={role !== undefined && Object.hasOwn(BUILT_IN_ROLES, role.name)}
      grants={grants}
      workloads={policy.workloads.filter((one) => role !== undefined && one.roles.includes(role.name))}
    />,
    status,
  )
}

function roleIn({ roles }: OrgPolicy, name: string): Role | undefined {
  return findRole(new Map(roles.map((role) => [role.name, role])), name)
}

function noRole(name: string): TacoError {
  return new TacoError('NOT_FOUND', `There is no role ${name}.`, { hint: 'See `taco role ls`.' })
}

export const roleRoutes: readonly Route[] = [
  orgPage({
    path: '/people/roles',
    id: 'showNewRole',
    action: 'role:manage',
    summary: 'A new role',
    query: z.object({ from: text.catch('') }),
    async handle({ params: { org }, query: { from }, view, x }, services) {
      const copied = roleIn(await services.orgAccess.get(org, x.caller), from)
      const input = copied === undefined ? NEW_ROLE : { ...roleInputOf(copied), name: '' }
      return rolePage({ org, view, x }, services, { input })
    },
  }),
  orgForm({
    path: '/people/roles',
    id: 'storeRoleByForm',
    action: 'role:manage',
    summary: 'Say in words what a role allows, or store it',
    fields: {
      name: text,
      description: text,
      /** The name of the role that is changed. Empty: a new one. */
      was: text,
      etag: text,
      effect: each,
      actions: each,
      units: each,
      labels: each,
      /** `save`, `add`, `remove-0`. Otherwise nothing but the words is wanted. */
      do: text,
    },
    async handle({ params: { org }, body, view, x, caller }, services) {
      const { name, description, was, etag } = body
      const rules = edited(ruleInputsOf(body), body.do)
      const input = { name, description, rules }
      if (x.req.headers['hx-request'] === 'true')
        return partReply(
          <>
            {rules.map((rule, at) => (
              <RuleWords rule={rule} at={at} isPart />
            ))}
          </>,
        )
      const policy = await services.orgAccess.get(org, caller)
      const role = policy.roles.find((one) => one.name === was)
      const shown = { role, input, etag }
      if (body.do !== 'save') return rolePage({ org, view, x }, services, shown)
      try {
        if (was !== '' && was !== name) throw badRequest('name', 'The name of a role cannot change.')
        await storeRole(services, org, roleFrom(input), caller, etag)
      } catch (error) {
        if (isTacoError(error, 'PRECONDITION_FAILED')) {
          if (was === '')
            return rolePage({ org, view, x }, services, { ...shown, faults: { name: error.message } })
          return rolePage({ org, view, x }, services, { role, input, isOvertaken: true })
        }
        const faults = faultsAt(error, ['name', 'description', 'rules'])
        return rolePage({ org, view, x }, services, { ...shown, faults })
      }
      setFlash(x, services.cookies, { kind: 'ok', text: `The role ${name} was saved.` })
      return seeOther(rolePath(view, name))
    },
  }),
  orgPage({
    path: '/people/roles/{role}',
    params: { role: z.string() },
    id: 'showRole',
    action: 'access:read',
    summary: 'A role: its rules in words, and who has it',
    async handle({ params: { org, role: name }, view, x }, services) {
      const role = roleIn(await services.orgAccess.get(org, x.caller), name)
      if (role === undefined) throw noRole(name)
      return rolePage({ org, view, x }, services, { role, input: roleInputOf(role) })
    },
  }),
  orgForm({
    path: '/people/roles/{role}/delete',
    params: { role: z.string() },
    id: 'deleteRoleByForm',
    action: 'role:manage',
    summary: 'Delete a role that is not in use',
    fields: { confirm: text },
    async handle({ params: { org, role: name }, body, view, x, caller }, services) {
      const role = (await services.orgAccess.get(org, caller)).roles.find((one) => one.name === name)
      if (role === undefined) throw noRole(name)
      try {
        checkConfirmed(body.confirm, name)
        await deleteRole(services, org, name, caller)
      } catch (error) {
        const faults = faultsAt(error, ['confirm'], 'CONFLICT')
        return rolePage({ org, view, x }, services, { role, input: roleInputOf(role), faults })
      }
      setFlash(x, services.cookies, { kind: 'ok', text: `The role ${name} was deleted.` })
      return seeOther(peoplePath(view, 'roles'))
    },
  }),
]

/** The rules after the button of the form was pressed. Pure. */
function edited(rules: RoleInput['rules'], pressed: string): RoleInput['rules'] {
  if (pressed === 'add') return [...rules, NEW_RULE]
  const [, at] = /^remove-(\d+)$/.exec(pressed) ?? []
  return at === undefined ? rules : rules.filter((_, i) => i !== Number(at))
}

/** Throws BAD_REQUEST if a rule is wrong; the page says at each what it is. Pure. */
function roleFrom({ name, description, rules }: RoleInput): Role {
  if (description.length > 500)
    throw badRequest('description', 'The description is longer than 500 characters.', 'Shorten it.')
  const read = rules.map(readRule)
  const wrong = read.findIndex(({ rule }) => rule === undefined)
  if (wrong !== -1) throw badRequest('rules', `Rule ${wrong + 1} is wrong: the reason is below its fields.`)
  return {
    name,
    ...(description === '' ? {} : { description }),
    rules: read.flatMap(({ rule }) => (rule === undefined ? [] : [rule])),
  }
}
