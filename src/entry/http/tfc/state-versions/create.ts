import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Caller } from '../../../../access/index.ts'
import { isoTime } from '../../../../base/clock.ts'
import { TacoError, isTacoError } from '../../../../base/errors.ts'
import { type UnitRef, type UnitView, type VersionView, newVersionStart } from '../../../../state/index.ts'
import { createPermit } from '../../auth/permit.ts'
import { freeing } from '../../kit/freeing.ts'
import { declaredBytes, received, tooLarge } from '../../kit/request/receive.ts'
import { writeHead } from '../../kit/response/respond.ts'
import { idBelow } from '../ids.ts'
import { resource } from '../kit/body.ts'
import {
  type TfcServices,
  WorkspaceParams,
  baseUrl,
  documented,
  ofServer,
  rawRoute,
  route,
} from '../kit/define.ts'
import { conflict, invalidAttribute } from '../kit/errors.ts'
import { document } from '../kit/json-api.ts'
import { isOwnLock, lockedByOther } from '../workspaces/own-lock.ts'
import { type Upload, openUpload, uploadPart } from './upload-token.ts'
import { SNAPSHOTS, viewPending, viewStateVersion } from './view.ts'
import { liveUnit } from '../workspaces/live-unit.ts'

const tags = ['terraform cloud']
const DONE = { 200: { description: 'Stored' } } as const
const Part = z.object({ part: z.string() })

/** The unit as it is: the lock and the current state decide what is allowed. */
async function withUnit(
  { params }: { readonly params: { readonly workspace: string } },
  { locator, control }: Pick<TfcServices, 'locator' | 'control'>,
): Promise<UnitRef & { readonly view: UnitView }> {
  const ref = await locator.workspace(params.workspace)
  const caller = { principal: { kind: 'system', name: 'access' } } as const
  return { ...ref, view: await liveUnit(control, ref, caller) }
}

function ownLockOf({ lock }: UnitView, caller: Caller): string {
  if (lock === null)
    throw conflict(
      'The workspace is not locked. It only accepts state uploads while the caller holds its lock.',
    )
  if (!isOwnLock(lock, caller)) throw lockedByOther(lock)
  return lock.id
}

/** What the upload itself would be refused for, said before the bytes are sent. */
function checkFollows(
  { state }: UnitView,
  { serial, lineage, force }: Pick<Upload, 'serial' | 'lineage' | 'force'>,
): void {
  if (state === null || force) return
  if (lineage !== null && lineage !== '' && state.lineage !== lineage)
    throw conflict(`The lineage ${lineage} differs from that of the current state, ${state.lineage}.`)
  if (serial < state.serial)
    throw conflict(`The serial ${serial} is lower than that of the current state, ${state.serial}.`)
}

export const createStateVersionRoutes = [
  route({
    method: 'POST',
    path: '/api/v2/workspaces/{workspace}/state-versions',
    id: 'tfcCreateStateVersion',
    // The write itself is an event; asking for an address to upload to changes nothing.
    audit: 'counted',
    action: 'state:write',
    takesRunTokens: true,
    tags,
    summary: 'Write a state, inline or by an upload that follows',
    params: WorkspaceParams,
    body: {
      ...resource('state-versions', {
        attributes: {
          md5: z.string().regex(/^[0-9a-f]{32}$/i, 'must be an MD5 digest in hex'),
          serial: z.int().min(0),
          lineage: z.string().nullish(),
          force: z.boolean().nullish(),
          state: z.string().nullish(),
          // Derived from the state, and plain where the state is encrypted: never stored.
          'json-state': z.string().nullish(),
          'json-state-outputs': z.string().nullish(),
        },
      }),
      limit: 'maxInlineStateBytes',
    },
    target: withUnit,
    // Where there is no state, there is nothing to override.
    also: ({ body, target }) =>
      body.attributes.force === true && target.view.state !== null
        ? [{ action: 'state:force', resource: { org: target.org, unit: target.unit } }]
        : [],
    isSecret: true,
    answers: { 201: documented('The state version') },
    async handle({ target: { view, org, unit }, body: { attributes }, caller, x }, services) {
      const upload: Upload = {
        org,
        unit,
        start: newVersionStart(services.ids),
        md5: attributes.md5.toLowerCase(),
        serial: attributes.serial,
        lineage: attributes.lineage ?? null,
        force: attributes.force === true,
        lock: ownLockOf(view, caller),
        principal: caller.principal,
      }
      checkFollows(view, upload)
      const base = baseUrl(x, services)
      if (attributes.state != null) {
        const version = await writeInline(services, upload, attributes.state, caller)
        const shown = viewStateVersion(version, { base, unit: view })
        return { status: 201, headers: SNAPSHOTS, ...document(shown) }
      }
      const uploads = {
        state: `${base}/api/v2/uploads/states/${uploadPart(services, 'state', upload)}`,
        json: `${base}/api/v2/uploads/json-states/${uploadPart(services, 'json', upload)}`,
      }
      const id = idBelow('sv', view.id, upload.start)
      const pending = { serial: upload.serial, at: isoTime(services.clock.now()), uploads }
      return { status: 201, headers: SNAPSHOTS, ...document(viewPending(id, view, pending)) }
    },
  }),
  rawRoute({
    method: 'PUT',
    path: '/api/v2/uploads/states/{part}',
    id: 'tfcUploadState',
    action: 'state:write',
    // The address is the permission: clients send no token here.
    openness: 'everybody',
    hasSecretPath: true,
    tags,
    summary: 'Upload the bytes of a state version',
    params: Part,
    target: ofServer,
    answers: DONE,
    async handle({ x, params }, services) {
      const upload = openUpload(services, 'state', params.part)
      const { org, unit, principal } = upload
      const permit = createPermit(services.access)
      await permit(principal, 'state:write', { org, unit })
      if (await overrides(services, upload, x.caller)) await permit(principal, 'state:force', { org, unit })
      const { control, limits, freeBuffers } = services
      const declared = declaredBytes(x)
      if (declared !== undefined && declared > limits.maxStateBytes) throw tooLarge(limits.maxStateBytes)
      const state = await control.states.receive(
        freeing(received(x), freeBuffers),
        {
          org,
          maxBytes: limits.maxStateBytes,
          contentMd5: base64OfHex(upload.md5),
          ...(declared === undefined ? {} : { declaredBytes: declared }),
        },
        x.caller,
      )
      try {
        await write(services, upload, state, { ...x.caller, principal })
      } finally {
        await state.dispose()
      }
      writeHead(x, 200, { 'content-length': 0 })
      x.res.end()
    },
  }),
  rawRoute({
    method: 'PUT',
    path: '/api/v2/uploads/json-states/{part}',
    id: 'tfcUploadJsonState',
    audit: 'counted',
    action: 'state:write',
    openness: 'everybody',
    hasSecretPath: true,
    tags,
    summary: 'Take the JSON form of a state in; it follows from the state and is not stored',
    params: Part,
    target: ofServer,
    answers: DONE,
    async handle({ x, params }, services) {
      openUpload(services, 'json', params.part)
      let size = 0
      for await (const part of received(x)) {
        size += part.byteLength
        if (size > services.limits.maxStateBytes) throw tooLarge(services.limits.maxStateBytes)
      }
      writeHead(x, 200, { 'content-length': 0 })
      x.res.end()
    },
  }),
]

/** Since the address was made, the unit may have got its first state. What was uploaded already overrides nothing. */
async function overrides(
  { control }: TfcServices,
  { org, unit, start, force }: Upload,
  caller: Caller,
): Promise<boolean> {
  if (!force || (await versionOf(control, { org, unit }, start, caller)) !== undefined) return false
  return (await liveUnit(control, { org, unit }, caller)).state !== null
}

type Received = Parameters<TfcServices['control']['states']['write']>[1]

async function writeInline(
  services: TfcServices,
  upload: Upload,
  text: string,
  caller: Caller,
): Promise<VersionView> {
  const bytes = Buffer.from(text, 'base64')
  if (createHash('md5').update(bytes).digest('hex') !== upload.md5)
    throw invalidAttribute('md5', 'The MD5 digest does not match the state.')
  const { control, limits } = services
  const options = { org: upload.org, maxBytes: limits.maxStateBytes }
  const state = await control.states.receive(one(bytes), options, caller)
  try {
    return await write(services, upload, state, caller)
  } finally {
    await state.dispose()
  }
}

async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

async function write(
  { control }: TfcServices,
  { org, unit, start, lock, force, serial, lineage }: Upload,
  state: Received,
  caller: Caller,
): Promise<VersionView> {
  const { facts } = state
  // Encrypted states say both in plain text as well.
  if (facts !== undefined && facts.serial !== serial)
    throw invalidAttribute('serial', `The state has serial ${facts.serial}, not ${serial}.`)
  if (facts !== undefined && lineage !== null && lineage !== '' && facts.lineage !== lineage)
    throw invalidAttribute('lineage', `The state has lineage ${facts.lineage}, not ${lineage}.`)
  const ref = { org, unit }
  try {
    const options = { how: 'backend', lockId: lock, force, versionStart: start } as const
    return await control.states.write(ref, state, options, caller)
  } catch (error) {
    // A repeated upload: its first answer was lost, and others may have written since.
    const before = isTacoError(error) ? await versionOf(control, ref, start, caller) : undefined
    if (before?.sha256 !== state.hash) throw error
    return before
  }
}

async function versionOf(
  { versions }: TfcServices['control'],
  ref: UnitRef,
  start: string,
  caller: Caller,
): Promise<VersionView | undefined> {
  try {
    return await versions.get(ref, start, caller)
  } catch (error) {
    if (error instanceof TacoError) return undefined
    throw error
  }
}

function base64OfHex(hex: string): string {
  return Buffer.from(hex, 'hex').toString('base64')
}
