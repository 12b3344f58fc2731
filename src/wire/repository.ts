/** For the commands that work on a repository: loaded by them alone, because reading YAML takes a library. */
export { placesOfDependencies, readProject } from '../project/index.ts'
export { isScanned, mentionsDynamodb, projectText, readVariableFile, scan } from '../scan/index.ts'
export { openHclReader } from '../scan/adapters/hcl2json.ts'
