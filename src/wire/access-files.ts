/** For the commands that take a file about access: loaded by them alone, because reading YAML takes a library. */
export { readProviderFile, readRoleFile } from '../access/index.ts'
