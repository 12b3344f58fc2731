import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'

/** Below the ports that the kernel gives to outgoing connections, which could take one while its server is away. */
const LOWEST = 10_240
const HIGHEST = 32_000
const STALE_MS = 3_600_000

const reservations = path.join(tmpdir(), 'taco-test-ports')
const reserved = new Set<string>()
process.on('exit', () => {
  for (const file of reserved) rmSync(file, { force: true })
})

/** A port that nothing listens on, and that no other test on this machine gets while this process lives. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST))
    if (reserve(port) && (await isFree(port))) return port
  }
}

function reserve(port: number): boolean {
  const file = path.join(reservations, String(port))
  try {
    mkdirSync(reservations, { recursive: true })
    const age = Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Infinity)
    // Left by a process that was killed: we check for a listener anyway.
    if (age > STALE_MS) rmSync(file, { force: true })
    writeFileSync(file, '', { flag: 'wx' })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
  reserved.add(file)
  return true
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
