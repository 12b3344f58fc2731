/** Builds every outside program into the cache folder: `npx tsx test/peers/build-toolchain.ts`. */
import { buildWalk } from './go-tfe.ts'
import { findOrBuild, programNames, toolchainFolder } from './toolchain.ts'

for (const name of programNames) {
  const program = await findOrBuild(name)
  process.stdout.write(`${name}: ${program ?? `left out (see ${toolchainFolder()})`}\n`)
}
process.stdout.write(`go-tfe: ${(await buildWalk()) ?? 'left out'}\n`)
