/**
 * Configuration versions: the code of a unit as it was uploaded, which runs use. Records of the unit say what there is;
 * each archive is an object of its own.
 */
export { type Configurations, type UnitPlace, createConfigurations } from './configurations.ts'
export type { ConfigurationVersion } from './model.ts'
