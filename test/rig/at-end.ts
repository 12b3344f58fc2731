import { onTestFinished } from 'vitest'

type Dispose = () => unknown

let ofFile: Dispose[] | undefined

/** Ends what a test started with the test; what `forFile` started, with the file. */
export function atEnd(dispose: Dispose): void {
  if (ofFile === undefined) onTestFinished(async () => void (await dispose()))
  else ofFile.push(dispose)
}

/** For `beforeAll`: what is started here is shared by the tests of a file, and ended after the last of them. */
export async function forFile(start: () => Promise<void>): Promise<() => Promise<void>> {
  const started: Dispose[] = []
  const end = async () => {
    for (const dispose of started.toReversed()) await dispose()
  }
  ofFile = started
  try {
    await start()
  } catch (error) {
    await end()
    throw error
  } finally {
    ofFile = undefined
  }
  return end
}
