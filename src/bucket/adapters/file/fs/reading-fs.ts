import type { FsOps } from './fs-ops.ts'

/** Like a disk that is mounted read-only. Readers do not notice. */
export function readingFs(fs: FsOps): FsOps {
  const refuse = () => {
    throw Object.assign(new Error('EROFS: read-only file system'), { code: 'EROFS' })
  }
  return {
    ...fs,
    mkdir: async (path) => ((await fs.lstat(path)) === undefined ? refuse() : false),
    link: refuse,
    symlink: refuse,
    rename: refuse,
    unlink: async (path) => ((await fs.lstat(path)) === undefined ? false : refuse()),
    rmdir: refuse,
    create: refuse,
  }
}
