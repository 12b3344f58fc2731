import type { Exchange } from '../exchange.ts'
import type { Limits } from '../limits.ts'

export interface SlowBodies {
  watch(x: Exchange): void
}

/**
 * Finds bodies that come so slowly that they only hold a connection. Node itself limits the whole request, and that must
 * be long enough for the largest state.
 */
export function createSlowBodies(
  limits: Pick<Limits, 'bodyGraceMs' | 'minBodyBytesPerSecond' | 'checkEveryMs'>,
  cut: (x: Exchange) => void,
): SlowBodies {
  const watched = new Map<Exchange, number>()
  let timer: NodeJS.Timeout | undefined

  function look(): void {
    for (const [x, readBefore] of watched) {
      const ms = performance.now() - x.startedAt
      // One that was refused is thrown away, within limits of its own.
      const isOver = x.req.complete || x.req.destroyed || x.res.headersSent
      const isSlow =
        ms > limits.bodyGraceMs &&
        x.req.socket.bytesRead - readBefore < (ms / 1000) * limits.minBodyBytesPerSecond
      if (isOver || isSlow) watched.delete(x)
      if (isSlow && !isOver) cut(x)
    }
    if (watched.size > 0) return
    clearInterval(timer)
    timer = undefined
  }

  return {
    watch(x) {
      const { 'content-length': length, 'transfer-encoding': encoding } = x.req.headers
      if (encoding === undefined && (length === undefined || length === '0')) return
      watched.set(x, x.req.socket.bytesRead)
      timer ??= setInterval(look, limits.checkEveryMs).unref()
    },
  }
}
