import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { certificateFor } from '../../rig/certificate.ts'
import { engines } from '../../rig/engines.ts'
import { startS3Server } from '../../rig/s3-backend.ts'
import { tempFolder } from '../../rig/temp.ts'
import { stateText } from '../../support/state.ts'

const day = 86_400_000
const rootToken = 'the-root-token-of-this-test-0123456789'

/** Over TLS, SDKs send bodies without a signature, in chunks with a checksum behind them. */
test.each(engines().filter(({ locksInBucket }) => locksInBucket))(
  '$name: a state of 6 MB goes over TLS, in parts where the engine makes some',
  async (engine) => {
    const folder = await tempFolder()
    const { cert, key } = certificateFor(
      ['127.0.0.1'],
      new Date(Date.now() - day),
      new Date(Date.now() + day),
      'rsa',
    )
    const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
    await writeFile(certFile, cert)
    await writeFile(keyFile, key)
    const server = await startS3Server(
      {
        isSecure: true,
        args: ['--auth', 'token', '--tls-cert', certFile, '--tls-key', keyFile],
        env: { TACO_ROOT_TOKEN: rootToken, TACO_CA_FILE: certFile },
      },
      rootToken,
    )
    const env = { ...(await server.keys()), AWS_CA_BUNDLE: certFile }
    const code = await server.code(engine, 'large/terraform.tfstate', '', env)
    const state = stateText(1, 'x'.repeat(6_000_000))
    await code.write('large.tfstate', state)
    await code.must(['init'])
    await code.must(['state', 'push', 'large.tfstate'])

    const pulled = JSON.parse((await code.must(['state', 'pull'])).stdout) as { outputs: object }
    expect(pulled.outputs).toMatchObject((JSON.parse(state) as { outputs: object }).outputs)
    const { stdout } = await server.taco('state', 'versions', 'large', '--json')
    const { items } = JSON.parse(stdout) as { items: { size: number }[] }
    expect(items.map(({ size }) => size > 6_000_000)).toEqual([true])
  },
)
