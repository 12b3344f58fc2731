import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'
import { leaveOut } from './toolchain.ts'

/** A real browser. Undefined where there is none, which is put on the list of what was left out. */
export async function startChromium(): Promise<Browser | undefined> {
  const executablePath = process.env['TACO_CHROMIUM'] ?? '/usr/bin/chromium'
  if (!existsSync(executablePath)) {
    leaveOut(
      'tests in a browser',
      `there is no ${executablePath} and TACO_CHROMIUM names no other (optional)`,
    )
    return undefined
  }
  // The sandbox needs rights that containers rarely give, and every page here is ours.
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] })
}
