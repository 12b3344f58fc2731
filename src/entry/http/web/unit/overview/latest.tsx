import { sayAuthor } from '../../../../../base/text/author.ts'
import type { VersionChange, VersionView } from '../../../../../state/index.ts'
import { withQuery } from '../../shell/addresses.ts'
import { Ago, Card, REACHABLE } from '../../shell/parts.tsx'
import { changeWords } from '../history/change-words.ts'

export interface ListedVersions {
  readonly items: readonly VersionView[]
  readonly changes: ReadonlyMap<string, VersionChange>
}

interface LatestProps {
  readonly listed: ListedVersions
  /** Of the unit. */
  readonly path: string
  readonly mayCompare: boolean
  readonly now: number
}

export function Latest({ listed: { items, changes }, path, mayCompare, now }: LatestProps) {
  return (
    <Card title="Latest versions">
      <section class="scroll" aria-label="Latest versions" {...REACHABLE}>
        <table>
          <thead>
            <tr>
              <th scope="col">Version</th>
              <th scope="col">Changes</th>
              <th scope="col">Serial</th>
              <th scope="col">When</th>
              <th scope="col">By</th>
              <th scope="col">Message</th>
            </tr>
          </thead>
          <tbody>
            {items.map((version) => (
              <tr>
                <td class="num">
                  {mayCompare && version.seq > 1 ? (
                    <a
                      href={withQuery(`${path}/diff`, {
                        from: String(version.seq - 1),
                        to: String(version.seq),
                      })}
                    >
                      {version.seq}
                    </a>
                  ) : (
                    version.seq
                  )}
                </td>
                <td>{changeWords(changes.get(version.id))}</td>
                <td class="num">{version.serial}</td>
                <td class="nowrap">
                  <Ago at={version.at} now={now} />
                </td>
                <td>{sayAuthor(version)}</td>
                <td class="muted">{version.message ?? ''}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </Card>
  )
}
