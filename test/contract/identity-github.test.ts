import { startGithub } from '../peers/github.ts'
import { identityContract } from './identity.ts'

identityContract('GitHub', async () => {
  const alice = {
    id: 1001,
    name: 'Alice Adams',
    emails: [
      { email: 'alice@private.example', primary: false, verified: true },
      { email: 'alice@example.com', primary: true, verified: true },
    ],
    organizations: ['acme'],
    teams: ['acme/platform', 'acme/ops'],
  }
  const peer = await startGithub()
  peer.setUser('alice', alice)
  peer.setUser('bare', { id: 1002 })
  return {
    settings: {
      kind: 'github',
      id: 'test',
      label: 'GitHub',
      url: peer.url,
      clientId: peer.clientId,
      clientSecret: peer.clientSecret,
    },
    people: { alice: 'alice', bare: 'bare' },
    signIn: async (url, who) => ({ url: await peer.signIn(url, who) }),
    cancel: async (url) => ({ url: await peer.cancel(url) }),
    setGroups: (who, groups) =>
      peer.setUser(who, { ...alice, teams: groups.map((group) => `acme/${group}`) }),
    remove: peer.removeUser,
    setDown: peer.setDown,
    dispose: peer.dispose,
  }
})
