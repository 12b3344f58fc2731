import { TacoError } from '../../base/errors.ts'
import type { StateControl } from '../state-control.ts'
import type { OrgDirectory } from './org-directory.ts'

/**
 * State control that refuses deleted organizations. What was begun can be finished: a write under a lock that is held,
 * the release of a lock, and the report of a finished apply. Never "not found": to an engine that means "no state".
 */
export function refuseDeleted(control: StateControl, directory: OrgDirectory): StateControl {
  const { orgs, units, states, keys, uploads, locks, versions, outputs, graph, upkeep } = control

  /** Undefined: as is in memory, it is not. */
  function check(org: string | undefined): Promise<void> | undefined {
    return org === undefined || isKnownOpen(org) ? undefined : recheck(org)
  }

  function isKnownOpen(org: string): boolean {
    const known = directory.recent()
    return known !== undefined && known.entry(org)?.deleted === undefined
  }

  async function recheck(org: string): Promise<void> {
    const isDeleted = (await directory.current()).entry(org)?.deleted !== undefined
    // It may have been restored since.
    if (isDeleted && (await directory.fresh()).entry(org)?.deleted !== undefined) throw orgDeleted(org)
  }

  type Method<A extends readonly unknown[], R> = (...args: A) => Promise<R>
  function open<A extends readonly [Subject, ...unknown[]], R>(method: Method<A, R>): Method<A, R> {
    return (...args) => {
      const checking = check(orgIn(args[0]))
      return checking === undefined ? method(...args) : checking.then(() => method(...args))
    }
  }

  return {
    ...control,
    orgs: { ...orgs, usageByUnit: open(orgs.usageByUnit) },
    units: {
      isRepeated: open(units.isRepeated),
      list: open(units.list),
      get: open(units.get),
      select: open(units.select),
      visible: open(units.visible),
      create: open(units.create),
      update: open(units.update),
      rename: open(units.rename),
      remove: open(units.remove),
      restore: open(units.restore),
    },
    states: {
      ...states,
      current: open(states.current),
      read: open(states.read),
      readNow: (ref, caller) => (isKnownOpen(ref.org) ? states.readNow(ref, caller) : undefined),
      write: (ref, state, options, caller) =>
        options.lockId === undefined
          ? open(states.write)(ref, state, options, caller)
          : states.write(ref, state, options, caller),
      remove: open(states.remove),
    },
    // A key is found in a deleted organization, so that what was begun can be finished.
    keys: { ...keys, create: open(keys.create), list: open(keys.list) },
    uploads: { ...uploads, begin: open(uploads.begin) },
    locks: { ...locks, get: open(locks.get), lock: open(locks.lock) },
    versions: {
      list: open(versions.list),
      get: open(versions.get),
      read: open(versions.read),
      diff: open(versions.diff),
      rollback: open(versions.rollback),
    },
    outputs: {
      get: open(outputs.get),
      recordReads: open(outputs.recordReads),
      log: open(outputs.log),
      diff: open(outputs.diff),
    },
    graph: {
      ...graph,
      units: open(graph.units),
      unitsAt: open(graph.unitsAt),
      changeDependencies: open(graph.changeDependencies),
      fingerprintKeys: open(graph.fingerprintKeys),
      facts: open(graph.facts),
    },
    upkeep: {
      ...upkeep,
      async *adopt(options, caller) {
        await check(options.org)
        yield* upkeep.adopt(options, caller)
      },
      gc: open(upkeep.gc),
    },
  }
}

type Subject = string | { readonly org?: string | undefined }

function orgIn(subject: Subject): string | undefined {
  return typeof subject === 'string' ? subject : subject.org
}

function orgDeleted(org: string): TacoError {
  return new TacoError('ORG_DELETED', `The organization ${org} was deleted.`, {
    facts: { field: 'org', org },
    hint: `Its units and states are kept. Restore it with \`taco org restore ${org}\`.`,
  })
}
