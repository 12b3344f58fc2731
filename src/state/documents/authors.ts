import { type Author, viewAuthor } from '../../access/index.ts'

/** The creator, in addition to the author of the last change. */
interface Creator {
  readonly createdBy: string
  readonly createdWho?: string | undefined
}

export function creatorOf({ by, who }: Author): { createdBy: string; createdWho?: string } {
  return who === undefined ? { createdBy: by } : { createdBy: by, createdWho: who }
}

export function authorOfCreator({ createdBy: by, createdWho: who }: Creator): { by: string; who?: string } {
  return who === undefined ? { by } : { by, who }
}

export function viewCreator(creator: Creator): { createdBy: string; createdWho: string | null } {
  const { by, who } = viewAuthor(authorOfCreator(creator))
  return { createdBy: by, createdWho: who }
}
