/**
 * Records: small things that an organization has lists of, such as projects, variable sets or policies. All of one kind
 * are in one document, so a list costs one read, and a name that must be unique needs no index. A new kind is a schema
 * and a few words (`RecordKind`), not another store.
 */
export type { Place, RecordBase, RecordKind, RecordOf } from './record.ts'
export { type FieldsOf, type RecordDeps, type Records, type Rewritten, createRecords } from './records.ts'
export { Content, type Contents, createContents } from './contents.ts'
export { hasTag, orgTag, taggedId } from './org-tag.ts'
export { recordTag } from './record-tag.ts'
export { type OrgIds, createOrgIds } from './org-ids.ts'
