import { existsSync } from 'node:fs'
import { TacoError } from '../../../../base/errors.ts'
import { localCaFile } from '../../config/tls-settings.ts'
import type { Session } from '../../session.ts'

/** Changes nothing by itself: whom a machine trusts is its owner's decision. */
export async function trust({ world, output }: Session): Promise<void> {
  const file = localCaFile(world)
  if (!existsSync(file)) {
    throw new TacoError('NOT_FOUND', `There is no local certificate authority: ${file} does not exist.`, {
      hint: 'Start a server with `taco serve --tls auto`, as this user. It creates one.',
    })
  }
  if (output.asJson) return output.json({ caFile: file })
  output.print(explanation(file))
}

function explanation(file: string): string {
  const quoted = `'${file.replaceAll("'", String.raw`'\''`)}'`
  return `The certificate of the local authority: ${file}
Only its owner can use its key, which is in the same folder. Copy the certificate to other machines, never the key.

taco              nothing to do on this machine; elsewhere: --ca-file ca.crt, or TACO_CA_FILE
curl              curl --cacert ${quoted} https://localhost:8226/healthz
tofu, terraform   with \`taco exec\` nothing to do; on their own:
                    Linux            export SSL_CERT_FILE=${quoted}
                    macOS, Windows   trust it in the system, as below
                    http backend     export TF_HTTP_CLIENT_CA_CERTIFICATE_PEM="$(cat ${quoted})"
Node programs     export NODE_EXTRA_CA_CERTS=${quoted}
Python programs   export REQUESTS_CA_BUNDLE=${quoted}

To trust it in the whole system, browsers included:
Debian, Ubuntu    sudo cp ${quoted} /usr/local/share/ca-certificates/opentaco.crt && sudo update-ca-certificates
Fedora, RHEL      sudo cp ${quoted} /etc/pki/ca-trust/source/anchors/opentaco.crt && sudo update-ca-trust
macOS             sudo security add-trusted-cert -d -r trustRoot -k /Library/Keychains/System.keychain ${quoted}
Windows           certutil -addstore -f ROOT ca.crt        (as administrator)
Firefox           Settings, Privacy & Security, Certificates, View Certificates, Authorities, Import

Whoever gets the key of the authority can pretend to be any site to a machine that trusts it. Remove the certificate
there when you no longer need it.
`
}
