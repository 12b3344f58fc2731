import type { Look } from './status.tsx'

/** What to do about a unit that looks like this. */
export const ADVICE: Readonly<Record<Look, string>> = {
  fail: 'Look at what failed, correct it, and apply the unit again.',
  missing: 'Restore the state with taco state rollback, or delete the unit.',
  stale: 'Apply it, or start a rollout from what changed.',
  wait: 'Apply what it waits for first. A rollout does both in order.',
  run: 'A rollout is applying it now.',
  drift: 'Apply it to undo what was changed, or change the code.',
  unknown: 'Apply it once with taco exec, so that OpenTaco records what it reads.',
  never: 'Apply it for the first time.',
  ok: 'Nothing to do: it was applied with the current outputs of what it uses.',
}
