import { serverAnswer } from '../../api/answers.ts'
import { ofWholeServer } from '../../api/client.ts'
import type { Session } from '../../session.ts'
import { check } from '../../api/check-answer.ts'

/** Works without a server, too: then it says so and is still right about itself. */
export async function version(session: Session): Promise<void> {
  const { output, world } = session
  const own = {
    taco: world.version(),
    node: process.versions.node,
    platform: `${process.platform} ${process.arch}`,
  }
  const server = session.target().kind === 'server' ? await askServer(session) : undefined
  if (output.asJson) return output.json({ ...own, server: server ?? null })
  output.facts([
    ['taco', own.taco],
    ['node', own.node],
    ['platform', own.platform],
    [
      'server',
      session.target().kind === 'bucket'
        ? undefined
        : (server ?? `no answer from ${session.target().address}`),
    ],
  ])
}

async function askServer(session: Session): Promise<string | undefined> {
  try {
    const client = await session.client()
    return check(serverAnswer, await client.json('GET', '/v1/server', { query: ofWholeServer, idleMs: 3000 }))
      .version
  } catch (error) {
    session.output.trace(String(error))
    return undefined
  }
}
