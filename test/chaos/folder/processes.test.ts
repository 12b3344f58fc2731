import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { readFile } from 'node:fs/promises'
import { expect, onTestFinished, test } from 'vitest'
import { openFileBucket } from '../../../src/bucket/adapters/file/index.ts'
import { tempFolder } from '../../rig/temp.ts'
import { eventually } from '../../rig/wait.ts'
import type { ChildProcess } from 'node:child_process'

const worker = fileURLToPath(new URL('worker.ts', import.meta.url))

interface Told {
  raised: number[]
  unknown: number
  errors: string
}

function startWorker(
  root: string,
  key: string,
  share: number,
): { child: ChildProcess; told: Told; ended: Promise<unknown> } {
  const child = spawn(process.execPath, ['--import', 'tsx', worker, root, key, String(share)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const told: Told = { raised: [], unknown: 0, errors: '' }
  let rest = ''
  child.stdout.on('data', (data: Buffer) => {
    const lines = (rest + data.toString()).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      if (line.startsWith('raised to ')) told.raised.push(Number(line.slice(10)))
      else told.unknown++
    }
  })
  child.stderr.on('data', (data: Buffer) => (told.errors += data.toString()))
  const ended = once(child, 'close')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  return { child, told, ended }
}

test.each(['.taco/counters/one', 'prod/counter.tfstate'])(
  'processes that raise the counter %s lose no step, though some are killed',
  async (key) => {
    const root = await tempFolder()
    const steady = [startWorker(root, key, 60), startWorker(root, key, 60)]
    const doomed = [startWorker(root, key, 1_000_000), startWorker(root, key, 1_000_000)]

    for (const { child, told, ended } of doomed) {
      await eventually(
        () => `ten steps of a worker that said: ${told.errors}`,
        () => told.raised.length >= 10,
        120_000,
      )
      child.kill('SIGKILL')
      await ended
    }
    for (const { child, ended, told } of steady) {
      await ended
      expect([child.exitCode, told.errors]).toEqual([0, ''])
    }

    const all = [...steady, ...doomed].map(({ told }) => told)
    const raised = all.flatMap((told) => told.raised)
    const open = all.reduce((sum, told) => sum + told.unknown, 0) + doomed.length
    const bucket = await openFileBucket({ root })
    const end = Number((await (await bucket.get(key))?.bytes())?.toString())
    expect(new Set(raised).size).toBe(raised.length)
    expect(raised.length).toBeGreaterThanOrEqual(140)
    expect(end).toBeGreaterThanOrEqual(raised.length)
    expect(end).toBeLessThanOrEqual(raised.length + open)
    if (!key.startsWith('.taco/')) expect(await readFile(`${root}/${key}`, 'utf8')).toBe(String(end))
  },
)
