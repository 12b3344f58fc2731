import { withSerial } from './content/rewrite.ts'
import { bodyOf, bytesOf } from '../bucket/index.ts'
import { createHash } from 'node:crypto'
import type { HistoryEntry } from './history.ts'
import type { Receipt, VersionFacts } from './model.ts'
import { underLock } from './own-lock.ts'
import type { Parts, Received, Target } from './protocol/parts.ts'
import { idOf, loadUnit } from './protocol/parts.ts'
import { writeState } from './protocol/write.ts'
import type { Caller } from './services.ts'
import type { Unit } from './unit-store.ts'
import type { Intake } from './intake.ts'

/** A deleted unit's last state lies at its key again, byte for byte, unless somebody put another one there. */
export async function bringStateBack(parts: Parts, unit: Unit, caller: Caller): Promise<void> {
  const { head } = unit.value
  if (head === null || head.tag !== null) return
  const present = await parts.deps.bucket.head(unit.value.key)
  if (present !== undefined && present.size > 0) return
  const stored = await parts.versions.read(unit.value, head)
  try {
    const state = await asReceived(parts, stored.body.stream(), unit.value.org)
    try {
      await underLock(parts, idOf(unit), { operation: 'restore' }, caller, (lockId) =>
        writeState(
          parts,
          idOf(unit),
          { state, lockId, force: false, how: 'restore', source: sourceOf(head, unit.value.receipt) },
          caller,
        ),
      )
    } finally {
      await state.dispose()
    }
  } finally {
    await stored.dispose()
  }
}

function sourceOf(
  stored: { readonly object: string; readonly version: VersionFacts },
  receipt: Receipt | null,
) {
  return { id: stored.version.id, seq: stored.version.seq, object: stored.object, receipt }
}

function asReceived(parts: Parts, stream: AsyncIterable<Uint8Array>, org: string): Promise<Received> {
  return parts.intake.receiveOutside(stream, org)
}

/**
 * Rollback: the content of an old version as a new one with the next serial, so that later applies go on from it.
 * An encrypted state cannot be given a new serial (OpenTofu checks it inside), so its bytes come back as they were.
 */
export async function rollBackTo(
  parts: Parts & { readonly intake: Intake },
  target: Target,
  entry: HistoryEntry,
  options: { readonly lockId?: string | undefined; readonly message?: string | undefined },
  caller: Caller,
): Promise<VersionFacts> {
  return underLock(
    parts,
    target,
    { lockId: options.lockId, operation: 'rollback' },
    caller,
    async (lockId) => {
      const unit = await loadUnit(parts, target)
      const stored = await parts.versions.read(unit.value, { object: entry.object, version: entry.facts })
      try {
        const state = await nextSerial(parts, unit, entry, stored.body.stream())
        try {
          const write = {
            state,
            lockId,
            force: true,
            how: 'rollback' as const,
            message: options.message,
            source: sourceOf({ object: entry.object, version: entry.facts }, entry.receipt),
          }
          return await writeState(parts, target, write, caller)
        } finally {
          await state.dispose()
        }
      } finally {
        await stored.dispose()
      }
    },
  )
}

async function nextSerial(
  parts: Parts,
  unit: Unit,
  entry: HistoryEntry,
  stream: AsyncIterable<Uint8Array>,
): Promise<Received> {
  const old = await asReceived(parts, stream, unit.value.org)
  if (entry.facts.encrypted || old.facts === undefined) return old
  const current = unit.value.head?.version.serial ?? 0
  const bytes = withSerial(await bytesOf(old.body), Math.max(current, entry.facts.serial) + 1)
  await old.dispose()
  const hash = createHash('sha256').update(bytes).digest('hex')
  return {
    body: bodyOf(bytes),
    hash,
    facts: { ...old.facts, serial: Math.max(current, entry.facts.serial) + 1 },
    dispose: async () => {},
  }
}
