import { addInvitation, addTeam, addTeamMember, bind, putRole } from '../../src/access/index.ts'
import { type Person, startSsoFace } from './sso-face.ts'
import { createTestBrowser } from './web-face.ts'

/** An organization with an owner (olga), a team with bob in it, an auditor (ann) and someone without a role (eve). */
export async function castOfPeople() {
  const face = await startSsoFace()
  const [olga, bob, ann, eve] = [
    await face.person('olga'),
    await face.person('bob'),
    await face.person('ann'),
    await face.person('eve'),
  ]
  const team = {
    id: 'team-1111111111111111',
    name: 'ops',
    members: [],
    groups: ['hub/platform'],
    createdAt: 0,
  }
  await face.policy('default', (policy) => {
    const roles = putRole(policy, {
      name: 'freeze',
      rules: [{ effect: 'deny', actions: ['state:write'], units: ['prod/**'] }],
    })
    const teams = addTeamMember(addTeam(roles, { ...team, description: 'on call' }), team.id, bob.id)
    const invited = addInvitation(teams, {
      id: 'inv-1',
      email: 'new@example.com',
      teams: [team.id],
      at: 0,
      by: 'user:olga',
    })
    const owned = bind(invited, { role: 'owner', to: `user:${olga.id}` })
    const operating = bind(owned, { role: 'operator', to: `team:${team.id}`, units: ['dev/**'] })
    return bind(operating, { role: 'auditor', to: `user:${ann.id}` })
  })
  async function browse(person: Person) {
    const browser = createTestBrowser(face)
    const { cookie = '' } = await face.session(person)
    browser.cookies.set('taco', cookie.replace('taco=', ''))
    return browser
  }
  /** The policy of the organization as it is now. */
  const policy = () => face.deps.orgAccess.get('default', face.setUp)
  return { face, olga, bob, ann, eve, browse, policy }
}
