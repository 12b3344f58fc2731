import { z } from 'zod'
import type { TagSelector } from '../../../../governance/index.ts'
import { identifiers } from '../kit/body.ts'
import { NO_CONTENT, route } from '../kit/define.ts'
import { RELATIONS, TagSelectorBody, checkRelations } from './policy-sets.ts'
import { SetParams, ofSet, tags } from './target.ts'

const selectors = {
  schema: z.object({ data: z.array(TagSelectorBody).min(1).max(100) }).transform(({ data }) => data),
}

function isSame(a: TagSelector, b: TagSelector): boolean {
  return a.key === b.key && a.value === b.value && a.isExclude === b.isExclude
}

/** `workspace-exclusions` → `WorkspaceExclusions` */
function inCapitals(name: string): string {
  return name.replaceAll(/(?:^|-)(.)/g, (_, letter: string) => letter.toUpperCase())
}

const ofRelation = Object.entries(RELATIONS).flatMap(([name, { type, relation }]) =>
  (['POST', 'DELETE'] as const).map((method) => {
    const isAdded = method === 'POST'
    return route({
      method,
      path: `/api/v2/policy-sets/{set}/relationships/${name}`,
      id: `tfc${isAdded ? 'Add' : 'Remove'}PolicySet${inCapitals(name)}`,
      action: 'policy:manage',
      tags,
      summary: `${isAdded ? 'Add to' : 'Remove from'} the ${name.replace('-', ' ')} of a policy set`,
      params: SetParams,
      body: identifiers(type),
      target: ofSet,
      answers: { 204: NO_CONTENT },
      async handle({ target: { org, record }, body: ids, caller }, services) {
        if (isAdded) await checkRelations(services, org, record.kind, { [name]: ids }, caller)
        await services.governance.policySets.relate(org, record.id, { relation, ids, isAdded }, caller)
        return { status: 204 }
      },
    })
  }),
)

const ofTags = (['POST', 'DELETE'] as const).map((method) =>
  route({
    method,
    path: '/api/v2/policy-sets/{set}/tag-selectors',
    id: `tfc${method === 'POST' ? 'Add' : 'Remove'}PolicySetTagSelectors`,
    action: 'policy:manage',
    tags,
    summary: `${method === 'POST' ? 'Add to' : 'Remove from'} the tag selectors of a policy set`,
    params: SetParams,
    body: selectors,
    target: ofSet,
    answers: { 204: NO_CONTENT },
    async handle({ target: { org, record }, body: given, caller }, { governance }) {
      await governance.policySets.update(
        { org },
        record.id,
        (set) => {
          const rest = set.tagSelectors.filter((one) => !given.some((other) => isSame(one, other)))
          return { ...set, tagSelectors: method === 'POST' ? [...rest, ...given] : rest }
        },
        caller,
      )
      return { status: 204 }
    },
  }),
)

export const policySetRelationRoutes = [...ofRelation, ...ofTags]
