import { orgPage } from '../org-page.ts'
import { Card, Code, Command, Empty, Split } from '../shell/parts.tsx'
import { htmlReply } from '../shell/render.ts'
import { addressOf } from '../shell/server-address.ts'
import { RegistryFrame } from './frame.tsx'

export const mirrorPage = orgPage({
  path: '/registry/mirror',
  id: 'showProviderMirror',
  action: 'registry:read',
  summary: 'How this server mirrors providers of other registries',
  handle({ view, x }, { mirror, publicUrl }) {
    const address = addressOf(x, publicUrl)
    return htmlReply(
      <RegistryFrame view={view} tab="mirror">
        {mirror === undefined ? (
          <div class="grid">
            <Empty title="This server mirrors no providers">
              <p>
                A server can fetch providers of other registries when they are first used, and keep them in
                its bucket. They can then be installed while their registry is down, and from networks without
                access to the internet.
              </p>
              <Command>taco serve --provider-mirror</Command>
            </Empty>
          </div>
        ) : (
          <Split
            side={
              <>
                <Card title="Mirrored registries">
                  <ul class="bare mono">
                    {mirror.hosts.map((host) => (
                      <li>{host}</li>
                    ))}
                  </ul>
                </Card>
                <Command>{`taco serve --provider-mirror=${mirror.hosts.join()}`}</Command>
              </>
            }
          >
            <Card title="Use it">
              <p>
                Put this into <code>~/.tofurc</code> or <code>~/.terraformrc</code>. Engines then install
                providers through this server, which sends only what has the checksum of its registry.
              </p>
              <Code label="Block for the configuration of the command line">
                {installationBlock(address)}
              </Code>
              {address.startsWith('http:') && (
                <p class="muted">Engines use a mirror only with https, which this address does not have.</p>
              )}
            </Card>
          </Split>
        )}
      </RegistryFrame>,
    )
  },
})

function installationBlock(address: string): string {
  return `provider_installation {
  network_mirror {
    url = "${address}/mirror/providers/"
  }
}
`
}
