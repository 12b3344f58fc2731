import type { Principal } from '../../../../access/index.ts'

/** Whether the request comes from someone who has not signed in. Where no sign-in is needed, no one is a stranger. */
export function isStranger(principal: Principal): boolean {
  return principal.kind === 'anonymous' && !principal.isOpenServer
}
