import { unitPath } from '../shell/addresses.ts'
import { type DrawnPicture, drawPicture } from '../shell/picture.tsx'
import type { Look } from '../shell/status.tsx'

/** More boxes than this cannot be read. */
const MOST_DRAWN = 120

/** A unit of a walk: a step of a rollout, or one that a rollout would have. */
export interface WalkUnit {
  readonly unit: { readonly id: string; readonly name: string }
  readonly needs: readonly string[]
  readonly look: Look
  readonly words: string
  /** Drawn first if there are too many. */
  readonly isPending: boolean
}

export interface DrawnWalk {
  readonly picture: DrawnPicture
  /** How many are not drawn. */
  readonly left: number
}

/** A walk in layers. Of too many units it shows those that are not settled, in the order of the walk. */
export async function drawWalk(base: string, all: readonly WalkUnit[]): Promise<DrawnWalk> {
  const first = all.length <= MOST_DRAWN ? all : all.filter(({ isPending }) => isPending)
  const chosen = (first.length === 0 ? all : first).slice(0, MOST_DRAWN)
  const picture = await drawPicture(
    chosen.map(({ unit, look, words }) => ({
      id: unit.id,
      look,
      label: unit.name.split('/').slice(-2).join('/'),
      title: `${unit.name}: ${words}`,
      href: unitPath(base, unit.name),
    })),
    chosen.flatMap(({ unit, needs }) => needs.map((from) => ({ from, to: unit.id }))),
  )
  return { picture, left: all.length - chosen.length }
}
