import { ACTIONS, type Action, SERVER_ACTIONS } from '../actions.ts'
import { didYouMean, nearest } from '../../base/text/nearest.ts'

/** `*` is every action, `state:*` all that begin with `state:`, anything else the action of that name. */
export function matchesAction(pattern: string, action: Action): boolean {
  if (pattern === '*' || pattern === action) return true
  return pattern.endsWith(':*') && action.startsWith(pattern.slice(0, -1))
}

/** The actions that a role can grant. */
export const POLICY_ACTIONS: readonly Action[] = ACTIONS.filter((action) => !SERVER_ACTIONS.has(action))

/** What is wrong with a pattern in a rule, as a sentence and its remedy; undefined if nothing is. */
export function actionFault(
  pattern: string,
): { readonly message: string; readonly hint: string } | undefined {
  if (POLICY_ACTIONS.some((action) => matchesAction(pattern, action))) return undefined
  const known = ACTIONS.filter((action) => matchesAction(pattern, action))
  if (known.length > 0)
    return {
      message: `${pattern} is about the server. No role of an organization can allow or deny it.`,
      hint: 'Remove it from the rule. Administrators of the server are set with its settings.',
    }
  const families = [
    ...new Set(POLICY_ACTIONS.filter((a) => a.includes(':')).map((a) => `${a.split(':', 1)[0]}:*`)),
  ]
  return {
    message: `There is no action ${pattern}.`,
    hint: didYouMean(
      nearest(pattern, [...POLICY_ACTIONS, ...families]),
      'See docs/access.md for all actions. Use * for every action.',
    ),
  }
}
