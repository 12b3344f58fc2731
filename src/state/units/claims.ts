import { authorOfCreator } from '../documents/authors.ts'
import { TacoError } from '../../base/errors.ts'
import { type DocumentKind, type Fields, type Loaded, createDocumentStore } from '../../bucket/index.ts'
import type { StateDeps } from '../settings.ts'
import { gaveUp } from './given-up.ts'
import { nameKey, stateClaimKey } from '../documents/layout.ts'
import type { UnitDocument } from '../documents/model.ts'
import { type Claim, claimFormat } from '../documents/model.ts'
import { again, untilDone } from '../../base/attempts.ts'
import type { Unit, UnitStore } from '../documents/unit-store.ts'

/**
 * Claims make names and state keys unique. A claim is an object created if absent that names a unit; **it is valid
 * only while that unit's document agrees** (its name or key, or what it is about to take). So a crash leaves at worst
 * a claim that anyone may replace, and a half-made unit that anyone may finish.
 */
export interface Claims {
  read(claimKey: string): Promise<Loaded<Claim> | undefined>
  /**
   * Takes the name or the key for `claim.id`. Returns the unit that has it, if another one does. A name that another
   * unit gave up is taken only with `takeOver`.
   */
  take(what: 'name' | 'key', claim: NewClaim, options?: { readonly takeOver: boolean }): Promise<Taken>
  /** Gives what `from` claimed to a unit that has it by its document, and had lost its claim. */
  handOver(what: 'name' | 'key', from: NewClaim, to: Claimant): Promise<void>
  /** Lets go of what this unit had, if the claim is still its own. */
  release(what: 'name' | 'key', doc: Pick<UnitDocument, 'id' | 'org' | 'name' | 'key'>): Promise<void>
}

export type NewClaim = Fields<Claim>

/** By the claim's own key. Where it says it belongs is not checked: a claim that was moved does not count. */
const claimKind: DocumentKind<Claim, string> = { name: 'claim', format: claimFormat, keyOf: (key) => key }

/** A unit, or one that is about to be. */
export interface Claimant {
  readonly value: Pick<UnitDocument, 'id' | 'org' | 'name' | 'key' | 'createdAt' | 'createdBy' | 'createdWho'>
}

export type Taken =
  | { readonly kind: 'mine' }
  | { readonly kind: 'taken'; readonly by: Unit }
  /** The name was that of a unit which was renamed or deleted. */
  | { readonly kind: 'given-up'; readonly by: Unit }
  /** It is claimed, and the unit does not exist (yet). */
  | { readonly kind: 'half-made'; readonly claim: Claim }

export function createClaims(deps: StateDeps, store: UnitStore): Claims {
  const { bucket, clock } = deps
  const documents = createDocumentStore(deps, claimKind)
  const keyOf = (what: 'name' | 'key', claim: Pick<Claim, 'org' | 'name' | 'key'>) =>
    what === 'name' ? nameKey(claim.org, claim.name, bucket.can) : stateClaimKey(claim.key, bucket.can)

  function take(what: 'name' | 'key', claim: NewClaim, { takeOver } = { takeOver: true }): Promise<Taken> {
    const claimKey = keyOf(what, claim)
    return untilDone<Taken>(clock, `claiming the ${what}`, async () => {
      if ((await documents.create(claimKey, claim)) !== undefined) return { kind: 'mine' }
      const present = await documents.find(claimKey)
      if (present === undefined) return again
      if (present.value.id !== claim.id) {
        const owner = await store.load(present.value.org, present.value.id)
        // A claim about another place does not count: it was moved here.
        if (owner === undefined && keyOf(what, present.value) === claimKey)
          return { kind: 'half-made', claim: present.value }
        if (owner !== undefined && agrees(what, owner.value, claimKey)) return { kind: 'taken', by: owner }
        if (owner !== undefined && what === 'name' && !takeOver && gaveUp(owner.value, claim.name))
          return { kind: 'given-up', by: owner }
      }
      // Always rewritten, even our own of an earlier try: another process may just be replacing it as invalid.
      const isOwn = present.value.id === claim.id
      const next = isOwn ? { ...present.value, ...claim } : claim
      return (await documents.swap(present, next)) === undefined ? again : { kind: 'mine' }
    })
  }

  async function handOver(what: 'name' | 'key', from: NewClaim, to: Claimant): Promise<void> {
    const { id, org, name, key, createdAt } = to.value
    const present = await documents.find(keyOf(what, from))
    if (present?.value.id !== from.id) return
    await documents.swap(present, { id, org, name, key, at: createdAt, ...authorOfCreator(to.value) })
  }

  async function release(
    what: 'name' | 'key',
    doc: Pick<UnitDocument, 'id' | 'org' | 'name' | 'key'>,
  ): Promise<void> {
    // Without conditional deletes it stays behind: invalid, so the next one who wants it replaces it.
    if (!bucket.can.conditionalDelete) return
    const present = await documents.find(keyOf(what, doc))
    // Where case does not count, the claim of a new name may lie where the old one did.
    if (present?.value.id === doc.id && present.value[what] === doc[what])
      await bucket.delete(present.key, present.tag)
  }

  /** Does the unit have, by its document, what is claimed there? */
  function agrees(what: 'name' | 'key', doc: UnitDocument, claimKey: string): boolean {
    if (doc.claiming !== undefined && keyOf(what, { org: doc.org, ...doc.claiming }) === claimKey) return true
    return doc.deleted === undefined && keyOf(what, doc) === claimKey
  }

  return { read: documents.find, take, handOver, release }
}

/** `owner` undefined: a unit of another organization, whose name is none of the caller's business. */
export function alreadyTaken(what: 'name' | 'key', value: string, owner: string | undefined): TacoError {
  const who = owner === undefined ? 'a unit of another organization' : `the unit ${owner}`
  return new TacoError(
    'ALREADY_EXISTS',
    what === 'name' ? `The unit ${value} already exists.` : `The state key ${value} belongs to ${who}.`,
    {
      facts: { field: what, ...(owner === undefined ? {} : { unit: owner }) },
      hint: what === 'name' ? 'Choose another name.' : 'Choose another key, or leave it out.',
    },
  )
}
