import { Document } from 'yaml'
import type { ScanReport } from './scan.ts'

/** A `taco.yaml` with what was found. `under`: the scanned folder relative to the file. */
export function projectText({ units }: Pick<ScanReport, 'units'>, under = '.'): string {
  const place = (dir: string) => (under === '.' ? dir : dir === '.' ? under : `${under}/${dir}`)
  const document = new Document({
    units: Object.fromEntries(
      units.map(({ name, dir, dependencies }) => [
        name,
        {
          ...(place(dir) === name ? {} : { dir: place(dir) }),
          ...(dependencies.length === 0
            ? {}
            : { dependencies: Object.fromEntries(dependencies.map((edge) => [edge.on, formOf(edge)])) }),
        },
      ]),
    ),
  })
  document.commentBefore = ' The units of this repository. Apply changes with `taco sync`.'
  return document.toString({ lineWidth: 110, flowCollectionPadding: false })
}

function formOf({ outputs, inputs }: ScanReport['units'][number]['dependencies'][number]): unknown {
  if (Object.keys(inputs).length === 0) return outputs ?? 'all'
  const mapped = new Set(Object.values(inputs))
  const rest = outputs?.filter((output) => !mapped.has(output))
  return { ...(outputs === null ? { outputs: 'all' } : rest?.length === 0 ? {} : { outputs: rest }), inputs }
}
