import { type SsoFace, bearer } from './sso-face.ts'
import { linkTo, newUnit, tfcAs } from './tfc-calls.ts'

const OF = 'organizations/default'

async function made(face: SsoFace, path: string, body: Parameters<ReturnType<typeof tfcAs>>[2]) {
  const { status, data, json } = await tfcAs(face, face.root)('POST', path, body)
  if (status !== 201) throw new Error(JSON.stringify(json))
  return data
}

/** A new team of the organization `default`; the answer is its id. */
export async function newTeam(face: SsoFace, attributes: object = {}): Promise<string> {
  const given = { name: face.fresh('team'), ...attributes }
  return (await made(face, `${OF}/teams`, { type: 'teams', attributes: given })).id
}

/** Somebody who has been invited. */
export async function newMembership(face: SsoFace) {
  const attributes = { email: `${face.fresh('someone')}@example.com` }
  const { type, id } = await made(face, `${OF}/organization-memberships`, { attributes })
  return { type, id }
}

/** A new team with access to a new unit. */
export async function newAccess(face: SsoFace, attributes: object = { access: 'read' }) {
  const [team, unit] = [await newTeam(face), await newUnit(face)]
  const data = await made(face, 'team-workspaces', {
    type: 'team-workspaces',
    attributes: { ...attributes },
    relationships: { team: linkTo('teams', team), workspace: linkTo('workspaces', unit) },
  })
  return { team, unit, access: data.id, data }
}

/** A new project of the organization `default`; the answer is its id. */
export async function newProject(face: SsoFace): Promise<string> {
  return (await made(face, `${OF}/projects`, { attributes: { name: face.fresh('project') } })).id
}

/** A new team with access to a new project. */
export async function newProjectAccess(face: SsoFace, attributes: object = { access: 'read' }) {
  const [team, project] = [await newTeam(face), await newProject(face)]
  const data = await made(face, 'team-projects', {
    type: 'team-projects',
    attributes: { ...attributes },
    relationships: { team: linkTo('teams', team), project: linkTo('projects', project) },
  })
  return { team, project, access: data.id, data }
}

/** Somebody whose provider has verified the address. */
export async function signedIn(face: SsoFace, login: string, email: string) {
  const verified = { address: email, isVerified: true }
  const { id } = await face.signIn.people.signIn(
    { provider: 'hub', subject: login, login, email: verified, groups: [] },
    face.setUp,
  )
  const owner = { kind: 'personal', user: id } as const
  const { text } = await face.signIn.tokens.create({ name: 't', owner }, face.setUp)
  return { id, login, token: bearer(text) }
}
