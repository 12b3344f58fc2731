/** What runs an engine on a unit and reports how it went. */
export {
  configurationPrint,
  fingerprintOf,
  isCode,
  isConfiguration,
  isOfConfiguration,
  referencedPaths,
} from './fingerprint.ts'
export type { Configuration } from './fingerprint.ts'
