import type { World } from './world.ts'

/** Lets the actor take steps until its next one would be this. */
export async function until(world: World, actor: string, kind: string, key: RegExp): Promise<void> {
  for (let steps = 0; steps < 50; steps++) {
    const next = (await world.schedule.settle()).find((one) => one.actor === actor)
    if (next === undefined) throw new Error(`${actor} never came to ${kind} ${key.source}`)
    if (next.operation.kind === kind && key.test(next.operation.key)) return
    world.schedule.take(next.id, 'run')
  }
}

/** All actors continue to the end, in turn. */
export async function finish(world: World): Promise<void> {
  for (;;) {
    const next = (await world.schedule.settle())[0]
    if (next === undefined) return
    world.schedule.take(next.id, 'run')
  }
}
