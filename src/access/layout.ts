import { ROOT } from '../bucket/index.ts'

/** Access records of the whole server. No unit and no state key can name anything below `.taco/`. */
export const accessPrefix = `${ROOT}access/`
