import { startOidc } from '../peers/oidc.ts'
import { identityContract } from './identity.ts'

for (const claimsIn of ['id-token', 'userinfo'] as const)
  identityContract(`OpenID Connect with claims in the ${claimsIn}`, async () => {
    const alice = {
      preferred_username: 'alice',
      name: 'Alice Adams',
      email: 'alice@example.com',
      email_verified: true,
      groups: ['platform', 'ops'],
    }
    const peer = await startOidc({ claimsIn, users: { 'subject-of-alice': alice, 'subject-of-bare': {} } })
    return {
      settings: {
        kind: 'oidc',
        id: 'test',
        label: 'Test provider',
        issuer: peer.issuer,
        clientId: peer.clientId,
        clientSecret: peer.clientSecret,
        scopes: ['openid', 'profile', 'email', 'groups'],
      },
      people: { alice: 'subject-of-alice', bare: 'subject-of-bare' },
      signIn: async (url, who) => ({ url: await peer.signIn(url, who) }),
      cancel: async (url) => ({ url: await peer.cancel(url) }),
      setGroups: (who, groups) => peer.setUser(who, { ...alice, groups }),
      remove: peer.removeUser,
      setDown: peer.setDown,
      dispose: peer.dispose,
    }
  })
