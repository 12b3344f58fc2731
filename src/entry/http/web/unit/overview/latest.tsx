import { sayAuthor } from '../../../../../base/text/author.ts'
import { unitPath, withQuery } from '../../shell/addresses.ts'
import { Ago, Card, REACHABLE } from '../../shell/parts.tsx'
import type { UnitPage } from '../frame.tsx'
import { Changes, CountChanges, type ListedVersions } from '../history/changes.tsx'

interface LatestProps {
  readonly page: UnitPage
  readonly listed: ListedVersions
  readonly now: number
}

export function Latest({ page, listed, now }: LatestProps) {
  const { view, unit } = page
  const path = unitPath(view.org.base, unit.name, 'diff')
  const mayCompare = view.may('versions:read-state', unit)
  const hasMessages = listed.items.some(({ message }) => message !== null)
  return (
    <Card title="Latest versions">
      <CountChanges page={page} listed={listed} />
      <section class="scroll" aria-label="Latest versions" {...REACHABLE}>
        <table>
          <thead>
            <tr>
              <th scope="col">Version</th>
              <th scope="col">Changes</th>
              <th scope="col">Serial</th>
              <th scope="col">When</th>
              <th scope="col">By</th>
              {hasMessages && <th scope="col">Message</th>}
            </tr>
          </thead>
          <tbody>
            {listed.items.map((version) => (
              <tr>
                <td class="num">
                  {mayCompare && version.seq > 1 ? (
                    <a
                      href={withQuery(path, {
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
                <td>
                  <Changes of={version} {...listed} />
                </td>
                <td class="num">{version.serial}</td>
                <td class="nowrap">
                  <Ago at={version.at} now={now} />
                </td>
                <td>{sayAuthor(version)}</td>
                {hasMessages && <td class="muted">{version.message ?? ''}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </Card>
  )
}
