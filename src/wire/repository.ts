/** For the commands that work on a repository: loaded by them alone, because reading YAML takes a library. */
export { fingerprintOf, isCode, isConfiguration, readProject, referencedPaths } from '../graph/index.ts'
