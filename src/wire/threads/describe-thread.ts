import { parentPort } from 'node:worker_threads'
import type { ModuleFile } from '../../registry/index.ts'
import { openHclReader } from '../../scan/adapters/hcl2json.ts'
import { describeModule } from '../../scan/index.ts'

/** Reads the code of one module, and is ended. */
parentPort?.once('message', (files: readonly ModuleFile[]) => {
  void describeModule(files, openHclReader()).then((metadata) => parentPort?.postMessage(metadata, []))
})
