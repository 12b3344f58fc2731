/** Finds the units of a repository and how they use each other by reading its code, and writes taco.yaml. */
export { describeModule } from './describe-module.ts'
export type { HclBody, HclFault, HclReader } from './hcl/hcl.ts'
export { isScanned, mentionsDynamodb, scan } from './scan.ts'
export type { DynamodbUse, ScanFile, ScanReport } from './scan.ts'
export { readVariableFile } from './variable-file.ts'
export { projectText } from './write.ts'
