import { createRunTokens, systemCaller } from '../access/index.ts'
import { createAdopt } from './upkeep/adopt.ts'
import { createAudit } from './audit/audit.ts'
import { createServerRetention } from './audit/server-retention.ts'
import { createBackground } from './journal/background.ts'
import { createCatalog } from './catalog/catalog.ts'
import { createClaims } from './units/claims.ts'
import type { StateDeps, StateSettings } from './settings.ts'
import { defaultSettings } from './settings.ts'
import { createDoctor } from './upkeep/doctor.ts'
import { createGc } from './upkeep/gc.ts'
import { createGraphStore } from './receipts/graph-store.ts'
import { createHistoryCache } from './history/history-cache.ts'
import { createIntake } from './intake/intake.ts'
import { createOutbox } from './journal/events.ts'
import { createLeftEvents } from './journal/left-events.ts'
import { createKeyOwners } from './units/key-owner.ts'
import { createJournal } from './journal/journal.ts'
import { createJournalWriter } from './journal/journal-writer.ts'
import { createTails } from './journal/tail.ts'
import { createLocator } from './units/locate.ts'
import { createLocks } from './locks/locks.ts'
import { createLocksSeen } from './locks/outside-locks.ts'
import { inThisThread, type LongWork } from './long-work.ts'
import { createOrgDirectory } from './orgs/org-directory.ts'
import { createOrgLife } from './orgs/org-life.ts'
import { createUsages } from './orgs/usage.ts'
import { createOrgs } from './units/orgs.ts'
import { USAGE_MS, withLimits } from './orgs/limits.ts'
import { refuseDeleted } from './orgs/refuse-deleted.ts'
import { createOutputs } from './outputs/outputs.ts'
import { createMirrors } from './protocol/create-mirrors.ts'
import type { StateControl } from './state-control.ts'
import { createStates } from './intake/states.ts'
import { createUploads } from './intake/uploads.ts'
import { createSweep } from './upkeep/sweep.ts'
import { createUnitMaker } from './units/unit-making.ts'
import { createUnitStore } from './documents/unit-store.ts'
import { createUnitsAt } from './history/units-at.ts'
import { createStateKeys } from './units/state-keys.ts'
import { createUnits } from './units/units.ts'
import { createVersionStore } from './versions/version-store.ts'
import { createVersions } from './versions/versions.ts'

export type StateControlOptions = Omit<StateDeps, 'settings' | 'work'> & {
  readonly settings?: Partial<StateSettings>
  /** Without: it is done in this thread. */
  readonly work?: LongWork
}

/** Builds state control over a bucket. Several may run over one bucket, in one process or in many. */
export async function createStateControl(options: StateControlOptions): Promise<StateControl> {
  const deps: StateDeps = {
    ...options,
    work: options.work ?? inThisThread,
    settings: { ...defaultSettings, ...options.settings },
  }
  const background = createBackground(deps.log)
  const journalWriter = createJournalWriter(deps)
  const outbox = createOutbox(deps, background, journalWriter)
  const store = createUnitStore(deps, background, journalWriter, outbox)
  const directory = createOrgDirectory(deps, outbox)
  const orgs = createOrgs(deps, outbox, directory)
  const claims = createClaims(deps, store)
  const locator = createLocator(deps, store, claims, orgs)
  const tails = createTails(deps)
  const catalog = createCatalog(deps, store, journalWriter, tails)
  store.onSeen((unit) => {
    locator.note(unit)
    catalog.note(unit)
  })
  const history = createHistoryCache(deps)
  const intake = createIntake(deps.spool, deps.work, (org) => orgs.digestKey(org))
  const parts = {
    deps,
    store,
    mirrors: createMirrors(deps.bucket, deps.clock),
    versions: createVersionStore(deps, history),
    intake,
  }
  const usages = createUsages(deps, catalog)
  const owners = createKeyOwners(deps, orgs, directory)
  const maker = createUnitMaker(deps, store, claims, orgs, catalog, owners)
  const runTokens = createRunTokens(deps)
  const locks = createLocks(parts, locator, maker)
  const uploads = createUploads(deps, orgs)
  const locksSeen = createLocksSeen(parts)
  const journal = createJournal(deps, { orgs, tails, unitsNamed: catalog.idsNamed })
  journalWriter.onWritten(journal.wrote)
  const serverRetention = createServerRetention(deps, outbox)
  const audit = createAudit(deps, {
    serverRetention,
    background,
    journal: journalWriter,
    read: journal,
    orgs,
    locator,
  })
  // A directory that cannot be read is refused by each request that needs it.
  await Promise.all([orgs.ensureFirst(systemCaller('opentaco')), directory.current().catch(() => {})])

  const control: StateControl = {
    orgs: {
      ...orgs,
      ...createOrgLife(deps, orgs, directory, catalog, outbox),
      async usage(org) {
        await orgs.require(org)
        return usages.get(org, USAGE_MS)
      },
      async usageByUnit(org, caller) {
        await orgs.require(org)
        return usages.byUnit(org, USAGE_MS, caller)
      },
    },
    orgNames: {
      idOf: (name: string) => directory.latest().idOf(name),
      nameOf: (id: string) => directory.latest().nameOf(id),
      refresh: () =>
        directory.recent() === undefined ? directory.current().then(() => undefined) : undefined,
    },
    units: createUnits(parts, catalog, locator, maker, claims, orgs, locksSeen, owners),
    states: createStates(parts, intake, locator, maker),
    keys: createStateKeys(parts, catalog, locator, claims, orgs, locks, () => limited),
    uploads,
    locks,
    versions: createVersions(parts, locator),
    outputs: createOutputs(parts, locator),
    graph: createGraphStore(parts, catalog, locator, orgs, createUnitsAt(parts, catalog, history)),
    journal,
    audit,
    outbox,
    upkeep: {
      adopt: createAdopt(parts, orgs, maker, claims, catalog, owners),
      gc: createGc(parts, orgs, catalog, { runTokens, uploads }, serverRetention),
      doctor: createDoctor(parts, orgs, catalog, claims, maker),
      sweep: createSweep(
        parts,
        orgs,
        catalog,
        history,
        locksSeen.learn,
        createLeftEvents(deps, outbox, orgs),
      ),
    },
    runTokens,
    close() {
      audit.flush()
      journalWriter.hurry()
      return background.flush()
    },
  }
  const limited = refuseDeleted(withLimits(control, deps, { orgs, usages, locator }), directory)
  return limited
}
