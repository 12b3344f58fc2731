import { createHash } from 'node:crypto'
import { patchedState } from './patched-state.ts'
import type { Row } from './report.ts'
import type { Site } from './site.ts'
import { median } from './slices.ts'

const BYTES = 1_000_000
const WORKSPACES = 1_000
const PAGE = 100
/** Command lines save a state no more often than that. */
const SNAPSHOT_SECONDS = 20
const SNAPSHOTS = 40

type Ask = (method: string, path: string, body?: string | Uint8Array) => Promise<Response>

/** (q) The Terraform Cloud API against the http backend, one request after the other from one client. */
export async function* cloud(site: Site): AsyncGenerator<Row> {
  const server = await site.server(await site.newStore('file'))
  const base = `http://127.0.0.1:${server.port}`
  const ask: Ask = async (method, path, body) => {
    const answer = await fetch(path.startsWith('http') ? path : base + path, {
      method,
      headers: { 'content-type': 'application/vnd.api+json' },
      ...(body === undefined ? {} : { body }),
    })
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
    return answer
  }
  const rounds = site.isQuick ? 10 : 40

  const native = await nativeUnit(ask)
  const workspace = await cloudWorkspace(ask)
  const times = {
    native: [] as number[],
    cloud: [] as number[],
    nativeGet: [] as number[],
    cloudGet: [] as number[],
  }
  for (let i = 0; i < rounds; i++) {
    times.native.push(await timed(() => native.write()))
    times.cloud.push(await timed(() => workspace.write()))
    times.nativeGet.push(await timed(() => native.read()))
    times.cloudGet.push(await timed(() => workspace.read()))
  }
  yield ratio('write 1 MB, against /v1/backend', times.native, times.cloud)
  yield ratio('read 1 MB, against /v1/backend', times.nativeGet, times.cloudGet)

  const snapshot = []
  for (let i = 0; i < SNAPSHOTS; i++) snapshot.push(await timed(() => workspace.snapshot()))
  const added = snapshot.reduce((sum, ms) => sum + ms, 0)
  yield {
    part: 'q',
    name: `what ${SNAPSHOTS} snapshots of 1 MB add to an apply, ${SNAPSHOT_SECONDS} s apart`,
    value: (100 * added) / (1000 * SNAPSHOT_SECONDS * SNAPSHOTS),
    unit: '%',
    goal: { atMost: 15 },
    note: `${median(snapshot).toFixed(0)} ms each`,
  }

  await Promise.all(
    Array.from({ length: 8 }, async (_, lane) => {
      for (let i = lane; i < WORKSPACES; i += 8) await createWorkspace(ask, `list--unit-${i}`)
    }),
  )
  const listed = async () => {
    for (let page = 1; page <= WORKSPACES / PAGE; page++)
      await (
        await ask('GET', `/api/v2/organizations/default/workspaces?page[size]=${PAGE}&page[number]=${page}`)
      ).json()
  }
  await listed()
  const lists = []
  for (let i = 0; i < (site.isQuick ? 3 : 9); i++) lists.push(await timed(listed))
  yield {
    part: 'q',
    name: `list ${WORKSPACES} workspaces in pages of ${PAGE}, warm`,
    value: median(lists),
    unit: 'ms',
    goal: { atMost: 500 },
  }
  await server.stop()
}

function ratio(name: string, native: readonly number[], through: readonly number[]): Row {
  return {
    part: 'q',
    name,
    value: (100 * median(native)) / median(through),
    unit: '%',
    goal: { atLeast: 70 },
    note: `${median(through).toFixed(1)} against ${median(native).toFixed(1)} ms`,
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

async function nativeUnit(ask: Ask) {
  const path = '/v1/backend/default/bench/native'
  const state = patchedState(BYTES, 1)
  await ask('LOCK', path, JSON.stringify({ ID: 'bench', Operation: 'OperationTypeApply' }))
  return {
    write: () => ask('POST', `${path}?ID=bench`, state.next()),
    read: async () => (await ask('GET', path)).arrayBuffer(),
  }
}

async function createWorkspace(ask: Ask, name: string): Promise<string> {
  const body = JSON.stringify({ data: { type: 'workspaces', attributes: { name } } })
  const { data } = (await (await ask('POST', '/api/v2/organizations/default/workspaces', body)).json()) as {
    data: { id: string }
  }
  return data.id
}

interface Version {
  readonly id: string
  readonly attributes: Readonly<Record<string, string>>
}

async function cloudWorkspace(ask: Ask) {
  const path = `/api/v2/workspaces/${await createWorkspace(ask, 'bench--cloud')}`
  const state = patchedState(BYTES, 2)
  let current = ''
  await ask('POST', `${path}/actions/lock`)

  async function created(): Promise<{ readonly version: Version; readonly bytes: Uint8Array }> {
    const bytes = state.next()
    const md5 = createHash('md5').update(bytes).digest('hex')
    const attributes = { md5, serial: state.serial, force: false }
    const body = JSON.stringify({ data: { type: 'state-versions', attributes } })
    const { data } = (await (await ask('POST', `${path}/state-versions`, body)).json()) as { data: Version }
    return { version: data, bytes }
  }

  async function write(): Promise<void> {
    const { version, bytes } = await created()
    await ask('PUT', version.attributes['hosted-state-upload-url'] ?? '', bytes)
    current = version.id
  }

  return {
    write,
    read: async () => (await ask('GET', `/api/v2/state-versions/${current}/download`)).arrayBuffer(),
    /** As command lines do it: the JSON form beside the state, and a look at the version in the end. */
    async snapshot() {
      const { version, bytes } = await created()
      const { 'hosted-state-upload-url': raw = '', 'hosted-json-state-upload-url': json = '' } =
        version.attributes
      await Promise.all([ask('PUT', raw, bytes), ask('PUT', json, bytes)])
      await ask('GET', `/api/v2/state-versions/${version.id}`)
    },
  }
}
