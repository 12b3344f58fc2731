import { ROOT, orgPrefix } from '../bucket/index.ts'

/** Access records of the whole server. No unit and no state key can name anything below `.taco/`. */
export const accessPrefix = `${ROOT}access/`

/** Where documents of the server are that carry events to the journal. */
export const accessOutboxes = ['people/', 'tokens/', 'workload-tokens/', 'server.json'].map(
  (name) => accessPrefix + name,
)

/** Who may do what in an organization. */
export const orgAccessKey = (org: string) => `${orgPrefix(org)}access.json`
