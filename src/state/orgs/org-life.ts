import { authorOf } from '../../access/index.ts'
import { TacoError } from '../../base/errors.ts'
import { answeredBefore, withoutRequest } from '../../bucket/index.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { readEntryText } from '../catalog/catalog-entry.ts'
import { parseOrgName, parseOrgPrefix } from '../documents/names.ts'
import { type Expected, changedMeanwhile, isExpected } from '../expected.ts'
import type { StateDeps } from '../settings.ts'
import type { Caller, EventDraft, OrgLife, Outbox } from '../state-control.ts'
import type { OrgView } from '../views/views.ts'
import { namedFolder } from './directory.ts'
import { added, deleted, orgExists, renamed, restored } from './org-changes.ts'
import type { OrgDirectory } from './org-directory.ts'
import type { OrgStore } from '../units/orgs.ts'

/** Creates, renames, deletes and restores organizations. The directory decides; units and states stay as they are. */
export function createOrgLife(
  deps: StateDeps,
  orgs: OrgStore,
  directory: OrgDirectory,
  catalog: Catalog,
  outbox: Outbox,
): OrgLife {
  /**
   * An organization whose folder holds states of others would not own what is in its folder, and the others could add
   * no unit beside those that they have there. A unit that is made at the same moment stays.
   */
  async function refuseUsedFolder(id: string, prefix: string | undefined, others: readonly string[]) {
    const isIn = (key: string) =>
      prefix === undefined ? namedFolder(key) === id : key.toLowerCase().startsWith(prefix.toLowerCase())
    for (const org of others) {
      if (org === id) continue
      const { entries } = await catalog.current(org)
      const unit = entries.find((one) => one.deletedAt === 0 && isIn(readEntryText(one).view.key))
      if (unit === undefined) continue
      throw new TacoError(
        'ALREADY_EXISTS',
        `The folder ${prefix ?? `${id}/`} holds the state of the unit ${unit.name} of the organization ${org}.`,
        {
          facts: { field: prefix === undefined ? 'name' : 'prefix', unit: unit.name, org },
          hint: 'Choose another name, or another folder with --prefix.',
        },
      )
    }
  }

  async function expectedNow(org: string, caller: Caller, expected: Expected | undefined): Promise<void> {
    if (expected === undefined) return
    await directory.fresh()
    const { etag, name } = await orgs.get(org, caller)
    if (!isExpected(expected, etag)) throw changedMeanwhile(`The organization ${name}`)
  }

  async function change(
    org: string,
    transition: Parameters<OrgDirectory['change']>[0],
    event: EventDraft & { readonly caller: Caller },
    expected?: Expected,
  ): Promise<OrgView> {
    const { caller } = event
    await orgs.current(org)
    await expectedNow(org, caller, expected)
    let isChanged = false
    const tell = () => {
      isChanged = true
      return [outbox.make({ org }, event)]
    }
    await directory.change(transition, tell, caller)
    // A restore need not wait: before they refuse, servers look again.
    if (isChanged && event.type !== 'org.restored') await deps.clock.sleep(deps.settings.announceMs)
    return orgs.get(org, caller)
  }

  return {
    async create({ name, prefix: given, ...settings }, caller) {
      const id = parseOrgName(name)
      const prefix = given === undefined ? undefined : parseOrgPrefix(given)
      await orgs.refuseIfLost(id)
      const others = await orgs.names(caller)
      if (!others.includes(id)) {
        await refuseUsedFolder(id, prefix, others)
        await directory.change(
          (all) => added(all, { id, prefix }, others),
          () => [],
          withoutRequest(caller),
        )
        const view = await orgs.make(id, settings, caller)
        if (view !== undefined) return view
      }
      const doc = await orgs.current(id)
      if (answeredBefore(doc.answered, caller) === undefined) throw orgExists(id)
      return orgs.get(id, caller)
    },
    async rename(org, name, caller, expected) {
      const to = parseOrgName(name)
      const isOlder = (await orgs.names(caller)).includes(to)
      const data = { to }
      return change(
        org,
        (all) => renamed(all, org, to, isOlder),
        { type: 'org.renamed', caller, data },
        expected,
      )
    },
    async remove(org, { force }, caller, expected) {
      if (!force) await refuseLocked(org, catalog)
      const how = { at: deps.clock.now(), ...authorOf(caller) }
      return change(
        org,
        (all) => deleted(all, org, how),
        { type: 'org.deleted', caller, data: { force } },
        expected,
      )
    },
    restore: (org, caller) => change(org, (all) => restored(all, org), { type: 'org.restored', caller }),
  }
}

/** Who holds a lock may still write: deleting the organization under an apply surprises those who wait for it. */
async function refuseLocked(org: string, catalog: Catalog): Promise<void> {
  const { entries } = await catalog.current(org)
  const locked = entries.map((entry) => readEntryText(entry).view).filter(({ lock }) => lock !== null)
  const [first] = locked
  if (first?.lock == null) return
  throw new TacoError(
    'LOCKED',
    `${locked.length} ${locked.length === 1 ? 'unit is' : 'units are'} locked, such as ${first.name}.`,
    {
      facts: { holder: first.lock.info, units: locked.slice(0, 20).map(({ name }) => name) },
      hint: 'Wait until they are unlocked, or use --force: the holders can still write and unlock.',
    },
  )
}
