import { type Caller, authorOf } from '../../../../../access/index.ts'
import type { LockView } from '../../../../../state/index.ts'

/** What the ids of locks begin with that people take on a page. */
export const PAGE_LOCK = 'page'

/** Whether the caller took this lock, on a page. The page does not release the locks of a person's commands. */
export function isOwnLock({ id, by, outside }: LockView, caller: Caller): boolean {
  return !outside && id.startsWith(`${PAGE_LOCK}-`) && by === authorOf(caller).by
}
