import { startSaml } from '../peers/saml.ts'
import { REDIRECT_URI, identityContract } from './identity.ts'

identityContract('SAML', async () => {
  const peer = await startSaml()
  peer.setUser('subject-of-alice', {
    attributes: {
      uid: 'alice',
      displayName: 'Alice Adams',
      mail: 'alice@example.com',
      groups: ['platform', 'ops'],
    },
  })
  const url = new URL(REDIRECT_URI)
  return {
    settings: {
      kind: 'saml',
      id: 'test',
      label: 'Test provider',
      metadataUrl: peer.metadataUrl,
      loginAttribute: 'uid',
      nameAttribute: 'displayName',
      emailAttribute: 'mail',
      isEmailVerified: true,
      groupsAttribute: 'groups',
    },
    people: { alice: 'subject-of-alice', bare: 'subject-of-bare' },
    signIn: async (href, who) => ({ url, form: await peer.signIn(href, who) }),
    cancel: async (href) => ({ url, form: await peer.cancel(href) }),
    setDown: peer.setDown,
    dispose: peer.dispose,
  }
})
