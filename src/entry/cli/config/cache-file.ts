import { mkdirSync, readFileSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import { writePrivately } from '../../../base/host/private-file.ts'
import type { World } from '../world.ts'

type Place = Pick<World, 'env' | 'home'>

/**
 * What took long to work out, for the next command, in the user's cache folder. A file says what it was made from, so
 * an old one is never taken for a new one; one that is lost, damaged or cannot be written is a little time lost.
 */
export function recall(place: Place, name: string, madeFrom: string): unknown {
  try {
    const found: unknown = JSON.parse(readFileSync(pathOf(place, name), 'utf8'))
    const isIt = typeof found === 'object' && found !== null && Reflect.get(found, 'madeFrom') === madeFrom
    return isIt ? Reflect.get(found, 'value') : undefined
  } catch {
    return undefined
  }
}

export function keep(place: Place, name: string, madeFrom: string, value: unknown): void {
  const path = pathOf(place, name)
  if (!isAbsolute(path)) return
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    writePrivately(path, JSON.stringify({ madeFrom, value }))
  } catch {
    // Read-only homes are common in containers.
  }
}

function pathOf({ env, home }: Place, name: string): string {
  return join(env['XDG_CACHE_HOME'] || join(home, '.cache'), 'opentaco', name)
}
