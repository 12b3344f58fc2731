/** What reads files about access. Loaded when one is read: reading YAML takes a library, which servers need not load. */
export async function accessFiles() {
  const { readRoleFile } = await import('./policy/role-file.ts')
  const { readProviderFile } = await import('./identity/settings-file.ts')
  return { readRoleFile, readProviderFile }
}
