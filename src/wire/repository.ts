/** For the commands that work on a repository: loaded by them alone, because reading YAML takes a library. */
export {
  isScanned,
  mentionsDynamodb,
  placesOfDependencies,
  projectText,
  readProject,
  scan,
} from '../graph/index.ts'
export { openHclReader } from '../scan/adapters/hcl2json.ts'
