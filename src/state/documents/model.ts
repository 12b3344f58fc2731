/** What state control stores in the bucket under `.taco/`, as schemas. */
export * from './claim.ts'
export * from './directory-document.ts'
export * from './event.ts'
export * from './org-document.ts'
export * from './reads.ts'
export * from './unit-document.ts'
export * from './versions.ts'
