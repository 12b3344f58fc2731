import { z } from 'zod'
import { type PersonDocument, groupsOf } from '../../../../access/index.ts'
import { isoTime } from '../../../../base/clock.ts'
import { setSuspended } from '../../kit/access/suspend.ts'
import { Limit, NoQuery, jsonAnswer, jsonBody } from '../../openapi/api.ts'
import { ofServer, route } from '../define.ts'
import { signInOf } from '../../auth/sign-in-of.ts'

const tags = ['people']
const PersonParams = z.object({ person: z.string().meta({ description: 'A login name or an id.' }) })

const PersonView = z.object({
  id: z.string().meta({ example: 'user-Gx4vUkP2sWq7ZrTn' }),
  login: z.string(),
  displayName: z.string().nullable(),
  email: z.string().nullable().meta({ description: 'Verified by the provider.' }),
  groups: z.array(z.string()).meta({ example: ['okta/platform'] }),
  providers: z.array(z.string()),
  createdAt: z.iso.datetime(),
  signedInAt: z.iso.datetime().nullable(),
  isSuspended: z.boolean(),
})

function viewPerson(person: PersonDocument): z.input<typeof PersonView> {
  const { id, login, displayName = null, email = null, identities, createdAt, signedInAt, suspended } = person
  return {
    id,
    login,
    displayName,
    email,
    groups: groupsOf(person),
    providers: identities.map(({ provider }) => provider),
    createdAt: isoTime(createdAt),
    signedInAt: signedInAt === undefined ? null : isoTime(signedInAt),
    isSuspended: suspended !== undefined,
  }
}

export const peopleRoutes = [
  route({
    method: 'GET',
    path: '/v1/people',
    id: 'listPeople',
    action: 'server:admin',
    tags,
    summary: 'List the people who have signed in',
    query: z.strictObject({ limit: Limit, cursor: z.string().optional() }),
    target: ofServer,
    answers: {
      200: jsonAnswer(
        z.object({
          items: z.array(PersonView),
          next: z.string().nullable(),
          damaged: z.number().meta({ description: 'How many are left out because they cannot be read.' }),
        }),
        'A page',
      ),
    },
    async handle({ query, caller }, services) {
      const { items, next, damaged } = await signInOf(services).people.list(query, caller)
      return { status: 200, json: { items: items.map(viewPerson), next: next ?? null, damaged } }
    },
  }),
  route({
    method: 'GET',
    path: '/v1/people/{person}',
    id: 'getPerson',
    action: 'server:admin',
    tags,
    summary: 'Show a person',
    params: PersonParams,
    query: NoQuery,
    target: ofServer,
    answers: { 200: jsonAnswer(PersonView, 'The person') },
    async handle({ params, caller }, services) {
      return { status: 200, json: viewPerson(await signInOf(services).people.get(params.person, caller)) }
    },
  }),
  route({
    method: 'PATCH',
    path: '/v1/people/{person}',
    id: 'updatePerson',
    action: 'server:admin',
    tags,
    summary: 'Suspend a person, or let them sign in again',
    description: 'A suspended person can do nothing, whichever session or token they use.',
    params: PersonParams,
    query: NoQuery,
    body: jsonBody(z.strictObject({ isSuspended: z.boolean() })),
    target: ofServer,
    answers: { 200: jsonAnswer(PersonView, 'Changed') },
    async handle({ params, body, caller }, services) {
      const { people } = signInOf(services)
      const person = await people.get(params.person, caller)
      return { status: 200, json: viewPerson(await setSuspended(people, person, body.isSuspended, caller)) }
    },
  }),
  route({
    method: 'POST',
    path: '/v1/people/{person}/sign-out',
    id: 'signOutPerson',
    action: 'server:admin',
    tags,
    summary: 'End all sessions of a person',
    params: PersonParams,
    query: NoQuery,
    target: ofServer,
    answers: { 200: jsonAnswer(PersonView, 'Signed out everywhere') },
    async handle({ params, caller }, services) {
      const { people } = signInOf(services)
      const { id } = await people.get(params.person, caller)
      return { status: 200, json: viewPerson(await people.endSessions(id, caller)) }
    },
  }),
]
