import { oneLine } from '../../../base/text/terminal-text.ts'
import type { Screen } from '../world.ts'
import { bytes } from './format.ts'

export interface Progress {
  /** The newest text replaces the one before; nothing is shown in the first second. */
  say(text: string): void
  /** Counts bytes of a transfer. */
  moved(size: number): void
  done(): void
}

const patienceMs = 1000
const redrawMs = 100

export const noProgress: Progress = { say() {}, moved() {}, done() {} }

/** One line on a terminal's stderr that is wiped away when the work is done. */
export function openProgress(
  screen: Screen,
  what: string,
  options: { readonly total?: number | undefined; readonly now: () => number },
): Progress {
  if (screen.isTTY !== true) return noProgress
  const startedAt = options.now()
  let shownAt = startedAt + patienceMs - redrawMs
  let total = 0
  let shown = false
  const draw = (text: string) => {
    const now = options.now()
    if (now - shownAt < redrawMs) return
    shownAt = now
    shown = true
    screen.write(`\r\u001b[2K${oneLine(`${what} ${text}`).slice(0, (screen.columns ?? 80) - 1)}`)
  }
  return {
    say: draw,
    moved(size) {
      total += size
      const share = options.total
        ? ` of ${bytes(options.total)} (${Math.floor((100 * total) / options.total)} %)`
        : ''
      draw(`${bytes(total)}${share}`)
    },
    done() {
      if (shown) screen.write('\r\u001b[2K')
    },
  }
}
