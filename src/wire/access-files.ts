/** For the commands that take a file about access. Separate, because it loads the schema library. */
export { accessFiles } from '../access/index.ts'
