import { expect, test } from 'vitest'
import { bodyOf } from '../../src/bucket/body.ts'
import type { Bucket, Conflict, Tag, Written } from '../../src/bucket/bucket.ts'
import type { ContractContext } from './bucket.ts'

const noSuchTag = '"00000000000000000000000000000000"' as Tag

export async function create(bucket: Bucket, key: string, content: Uint8Array | string): Promise<Tag> {
  return tagOf(await bucket.put(key, bodyOf(content), 'absent'))
}

export function tagOf(answer: Written | Conflict): Tag {
  if (answer.kind !== 'written') throw new Error('a conflict where none was expected')
  return answer.tag
}

export async function textAt(bucket: Bucket, key: string): Promise<string | undefined> {
  return (await (await bucket.get(key))?.bytes())?.toString()
}

export function conditionTests(context: ContractContext): void {
  test('an object is created once', async () => {
    const [one, two] = context.clients()
    const key = `${context.folder()}once`

    const first = await one.put(key, bodyOf('first'), 'absent')
    const second = await two.put(key, bodyOf('second'), 'absent')

    expect(first.kind).toBe('written')
    expect(second.kind).toBe('conflict')
    expect(await textAt(one, key)).toBe('first')
  })

  test('of many writers that create the same object, exactly one wins', async () => {
    const clients = context.clients()
    const key = `${context.folder()}race`

    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, i) => pick(clients, i).put(key, bodyOf(`racer ${i}`), 'absent')),
    )

    const winners = answers.flatMap((answer, i) => (answer.kind === 'written' ? [i] : []))
    expect(winners).toHaveLength(1)
    expect(await textAt(clients[0], key)).toBe(`racer ${winners[0]}`)
  })

  test('of many writers that replace the same object, exactly one wins, round after round', async () => {
    const clients = context.clients()
    const key = `${context.folder()}race`
    let tag = await create(clients[0], key, 'start')

    for (let round = 0; round < 3; round++) {
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          pick(clients, i).put(key, bodyOf(`round ${round} racer ${i}`), tag),
        ),
      )

      const winners = answers.flatMap((answer, i) => (answer.kind === 'written' ? [i] : []))
      expect(winners).toHaveLength(1)
      expect(await textAt(clients[1], key)).toBe(`round ${round} racer ${winners[0]}`)
      tag = tagOf(answers[winners[0] ?? 0] ?? { kind: 'conflict' })
    }
  })

  test('a counter that many raise by reading and replacing misses no step', async () => {
    const clients = context.clients()
    const key = `${context.folder()}counter`
    await create(clients[0], key, '0')

    await Promise.all(Array.from({ length: 8 }, (_, i) => raise(pick(clients, i), key)))

    expect(await textAt(clients[0], key)).toBe('8')
  })

  test('a replace with an old tag is a conflict and changes nothing', async () => {
    const [one, two] = context.clients()
    const key = `${context.folder()}stale`
    const old = await create(one, key, 'old')
    const current = tagOf(await two.put(key, bodyOf('new'), old))

    const answer = await one.put(key, bodyOf('lost'), old)

    expect(answer.kind).toBe('conflict')
    expect(current).not.toBe(old)
    expect(await textAt(one, key)).toBe('new')
    expect((await one.head(key))?.tag).toBe(current)
  })

  test('a replace of an object that is not there is a conflict and creates nothing', async () => {
    const [one] = context.clients()
    const folder = context.folder()
    const gone = await create(one, `${folder}gone`, 'soon gone')
    await one.delete(`${folder}gone`, gone)

    const answers = [
      await one.put(`${folder}never`, bodyOf('x'), gone),
      await one.put(`${folder}gone`, bodyOf('x'), gone),
    ]

    expect(answers.map(({ kind }) => kind)).toEqual(['conflict', 'conflict'])
    expect(await one.head(`${folder}never`)).toBeUndefined()
    expect(await one.head(`${folder}gone`)).toBeUndefined()
  })

  test('a tag that the store never gave is a conflict', async () => {
    const [one] = context.clients()
    const key = `${context.folder()}foreign`
    await create(one, key, 'here')

    expect((await one.put(key, bodyOf('x'), noSuchTag)).kind).toBe('conflict')
    expect(await one.delete(key, noSuchTag)).toEqual({ kind: 'conflict' })
    expect(await textAt(one, key)).toBe('here')
  })

  test('a delete takes the object away, and it can be created again', async () => {
    const [one, two] = context.clients()
    const key = `${context.folder()}again`
    const tag = await create(one, key, 'first')

    expect(await two.delete(key, tag)).toBe('deleted')

    expect(await one.get(key)).toBeUndefined()
    expect(await one.head(key)).toBeUndefined()
    await create(two, key, 'second')
    expect(await textAt(one, key)).toBe('second')
  })

  test('a delete with an old tag is a conflict and deletes nothing', async () => {
    const [one, two] = context.clients()
    const key = `${context.folder()}kept`
    const old = await create(one, key, 'old')
    await two.put(key, bodyOf('new'), old)

    expect(await one.delete(key, old)).toEqual({ kind: 'conflict' })
    expect(await one.delete(key, old, { retry: false })).toEqual({ kind: 'conflict' })

    expect(await textAt(two, key)).toBe('new')
  })

  test('deleting what is not there is absent', async (ctx) => {
    const [one] = context.clients()
    const key = `${context.folder()}absent`
    const tag = await create(one, key, 'x')
    await one.delete(key, tag)

    const answer = await one.delete(key, tag)

    if (context.skips.absentDelete !== undefined) ctx.skip(context.skips.absentDelete)
    expect(answer).toBe('absent')
  })

  test('a delete never takes away what a racing replace has written', async (ctx) => {
    if (context.skips.conditionalDelete !== undefined) ctx.skip(context.skips.conditionalDelete)
    const [one, two] = context.clients()
    const folder = context.folder()
    expect(one.can.conditionalDelete).toBe(true)

    for (let i = 0; i < 15; i++) {
      const key = `${folder}${i}`
      const tag = await create(one, key, 'old')

      const [written, deleted] = await Promise.all([one.put(key, bodyOf('new'), tag), two.delete(key, tag)])

      const left = await textAt(one, key)
      if (written.kind === 'written') expect([left, deleted]).toEqual(['new', { kind: 'conflict' }])
      else expect([left, deleted]).toEqual([undefined, 'deleted'])
    }
  })
}

async function raise(bucket: Bucket, key: string): Promise<void> {
  for (;;) {
    const found = await bucket.get(key)
    if (found === undefined) throw new Error('the counter is gone')
    const next = Number((await found.bytes()).toString()) + 1
    const answer = await bucket.put(key, bodyOf(`${next}`), found.tag)
    if (answer.kind === 'written') return
  }
}

function pick(clients: readonly [Bucket, Bucket], i: number): Bucket {
  return clients[i % 2 === 0 ? 0 : 1]
}
