import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'
import type { createStateControl } from '../../../src/state/index.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** One rule of the protocol, taken out of the source. */
export interface Mutation {
  /** Below src. */
  readonly file: string
  /** Must occur exactly once, or the mutation is stale. */
  readonly rule: string
  readonly instead: string
}

export type CreateControl = typeof createStateControl

/**
 * State control as it is, or with rules taken out, bundled on its own. Packing happens in one turn instead of in a
 * thread, so that nothing but the bucket decides the order of things.
 */
export async function loadControl(mutations: readonly Mutation[] = []): Promise<CreateControl> {
  const folder = await mkdtemp(join(tmpdir(), 'taco-chaos-'))
  try {
    const outfile = join(folder, 'state.mjs')
    await build({
      entryPoints: [join(root, 'src/state/index.ts')],
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      logLevel: 'silent',
      // A pause of random length would make runs that cannot be repeated.
      define: { 'Math.random': 'half' },
      banner: { js: 'const half = () => 0.5' },
      plugins: [inOneTurn, ...(mutations.length === 0 ? [] : [mutating(mutations)])],
    })
    const loaded = (await import(/* @vite-ignore */ pathToFileURL(outfile).href)) as {
      createStateControl: CreateControl
    }
    return loaded.createStateControl
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const inOneTurn: Plugin = {
  name: 'in one turn',
  setup(bundle) {
    bundle.onResolve({ filter: /^node:zlib$/ }, ({ importer }) =>
      importer.endsWith('zlib-in-one-turn.ts')
        ? { path: 'node:zlib', external: true }
        : { path: join(root, 'test/chaos/checker/zlib-in-one-turn.ts') },
    )
    bundle.onResolve({ filter: /^lru-cache$/ }, () => ({
      path: join(root, 'test/chaos/checker/plain-cache.ts'),
    }))
  },
}

function mutating(mutations: readonly Mutation[]): Plugin {
  return {
    name: 'mutating',
    setup(bundle) {
      bundle.onLoad({ filter: /\/src\/.*\.ts$/ }, async ({ path }) => {
        const own = mutations.filter(({ file }) => path === join(root, 'src', file))
        if (own.length === 0) return undefined
        let contents = await readFile(path, 'utf8')
        for (const { rule, instead, file } of own) {
          if (contents.split(rule).length !== 2)
            throw new Error(`${file} does not have this rule once: ${rule}`)
          contents = contents.replace(rule, () => instead)
        }
        return { contents, loader: 'ts' }
      })
    },
  }
}
