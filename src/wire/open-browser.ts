import { spawn } from 'node:child_process'

/** No shell is involved: an address has characters that mean something to one. */
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

/** How long an opener is watched. One that fails does so at once; one that is the browser itself stays. */
const WATCHED_MS = 2_000

export function openBrowser(url: string, platform: NodeJS.Platform = process.platform): Promise<boolean> {
  const [program, ...args] = OPENERS[platform] ?? ['xdg-open']
  return new Promise((resolve) => {
    const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true })
    const watched = setTimeout(() => resolve(true), WATCHED_MS)
    child.once('error', () => done(false))
    child.once('exit', (code) => done(code === 0))
    child.unref()
    function done(isOpen: boolean): void {
      clearTimeout(watched)
      resolve(isOpen)
    }
  })
}
