import { readFile, writeFile } from 'node:fs/promises'

/** Resident memory of a process in bytes, and its peak, as the kernel counts it. */
export async function memoryOf(pid: number): Promise<{ readonly now: number; readonly peak: number }> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  const read = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? Number.NaN) * 1024
  return { now: read('VmRSS'), peak: read('VmHWM') }
}

/** Resets the peak, so that the next reading covers only what follows. */
export async function resetPeak(pid: number): Promise<void> {
  await writeFile(`/proc/${pid}/clear_refs`, '5')
}
