interface Family {
  readonly head: string[]
  isGauge: boolean
  readonly series: Map<string, number>
}

/** Gauges that say the same of every process, or of all of them together; the others are added up. */
const JOINED: Readonly<Record<string, (a: number, b: number) => number>> = {
  opentaco_build_info: Math.max,
  process_start_time_seconds: Math.min,
}

/** One text in Prometheus' format out of those of several processes, series by series. */
export function sumMetrics(texts: readonly string[]): string {
  return written(summed(texts))
}

/** What must not get lost with a process: a counter that goes down looks like a restart. */
export function sumCounters(texts: readonly string[]): string {
  return written(new Map([...summed(texts)].filter(([, { isGauge }]) => !isGauge)))
}

function summed(texts: readonly string[]): ReadonlyMap<string, Family> {
  const total = new Map<string, Family>()
  for (const text of texts) {
    for (const [name, family] of familiesIn(text)) {
      const sum = total.get(name)?.series
      if (sum === undefined) total.set(name, family)
      else for (const [labels, value] of family.series) sum.set(labels, joined(name, sum.get(labels), value))
    }
  }
  return total
}

function joined(name: string, a: number | undefined, b: number): number {
  return a === undefined ? b : (JOINED[name]?.(a, b) ?? a + b)
}

function familiesIn(text: string): ReadonlyMap<string, Family> {
  const families = new Map<string, Family>()
  let family: Family | undefined
  for (const line of text.split('\n')) {
    const [, kind, name = ''] = /^# (HELP|TYPE) (\S+) /.exec(line) ?? []
    if (kind !== undefined) {
      family = families.get(name) ?? { head: [], isGauge: false, series: new Map() }
      families.set(name, family)
      family.head.push(line)
      if (kind === 'TYPE') family.isGauge = line.endsWith(' gauge')
    } else if (line !== '') {
      const space = line.lastIndexOf(' ')
      family?.series.set(line.slice(0, space), Number(line.slice(space + 1)))
    }
  }
  return families
}

function written(families: ReadonlyMap<string, Family>): string {
  const lines = [...families.values()].flatMap(({ head, series }) => [
    ...head,
    ...Array.from(series, ([name, value]) => `${name} ${value}`),
  ])
  return lines.map((line) => `${line}\n`).join('')
}
