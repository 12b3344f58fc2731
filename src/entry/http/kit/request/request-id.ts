const SANE = /^[A-Za-z0-9._:@/+=-]{1,100}$/

/** Takes the client's id where it can go into logs as it is; else makes one. */
export function createRequestIds(prefix: string): (sent: string | string[] | undefined) => string {
  let count = 0
  return (sent) => {
    if (typeof sent === 'string' && SANE.test(sent)) return sent
    count++
    return `${prefix}-${count.toString(36)}`
  }
}
