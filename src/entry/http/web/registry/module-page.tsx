import { sayPrincipal } from '../../../../base/text/author.ts'
import { bytes } from '../../../../base/text/bytes.ts'
import { type ModulePart, type ModuleVersion, publishedAt } from '../../../../registry/index.ts'
import { withQuery } from '../shell/addresses.ts'
import { shell } from '../shell/command-line.ts'
import { WHOLE_LIST } from '../shell/list.tsx'
import { Confirm, confirmId } from '../shell/confirm.tsx'
import { Ago, Card, Command, Empty, Notice, Split, Tabs } from '../shell/parts.tsx'
import { DeprecationCard, DeprecationNotice } from './deprecation.tsx'
import { ItemFrame, modulePath } from './frame.tsx'
import { Markdown } from './markdown/markdown.tsx'
import { type ModuleShown, newestOf } from './module-shown.ts'
import { ModuleVersions } from './module-versions.tsx'
import { partLists } from './part-lists.tsx'
import { UseCard, moduleBlock } from './use-blocks.tsx'

export function ModulePage(shown: ModuleShown) {
  const { view, at, module, versions, version, part, tab, faults } = shown
  const title = `${module.name}/${module.provider}`
  const newest = newestOf(versions)
  return (
    <ItemFrame
      view={view}
      title={title}
      list={{ label: 'Modules', path: '' }}
      chips={
        version !== undefined && (
          <>
            <span class="chip mono">
              {version.version}
              {version === newest ? '' : ' (not the newest)'}
            </span>
            {version.deprecation !== undefined && <span class="chip warn">deprecated</span>}
          </>
        )
      }
      summary={version?.summary}
    >
      <ModuleTabs {...shown} />
      <Split
        side={
          <>
            {version !== undefined && (
              <UseCard at={at} block={moduleBlock(at, { ...module, version: version.version, part })} />
            )}
            {version !== undefined && <Facts {...shown} version={version} />}
            <Parts {...shown} />
            <WithoutCode {...shown} />
            {version !== undefined && view.may('registry:publish') && (
              <DeprecationCard {...shown} version={version} />
            )}
            <Command>{commandOf(shown)}</Command>
          </>
        }
      >
        {version?.deprecation !== undefined && (
          <DeprecationNotice {...shown} deprecation={version.deprecation} />
        )}
        {tab === 'versions' ? (
          <>
            <ModuleVersions {...shown} />
            {view.may('registry:publish') && (
              <Card title="Delete">
                <Confirm
                  view={view}
                  action={`${modulePath(view, module)}/delete`}
                  label="Delete the module"
                  word={title}
                  id={confirmId(title)}
                  faults={faults}
                >
                  <p>
                    All versions are deleted. Code that uses the module cannot be initialized again. This
                    cannot be undone.
                  </p>
                </Confirm>
              </Card>
            )}
          </>
        ) : (
          <PartContent {...shown} />
        )}
      </Split>
    </ItemFrame>
  )
}

function commandOf({ module: { name, provider }, version, tab }: ModuleShown): string {
  const command = shell`taco registry module show ${name}/${provider}`
  return tab === 'versions' || version === undefined ? command : `${command} ${version.version}`
}

function ModuleTabs({ view, part, tab, versions }: ModuleShown) {
  const lists = part === undefined ? {} : partLists(part)
  const to = (name: string | undefined) => withQuery(view.path, { ...WHOLE_LIST, tab: name })
  return (
    <Tabs
      label="Module"
      tabs={[
        { label: 'README', href: to(undefined), isCurrent: tab === 'readme' },
        ...Object.entries(lists).map(([name, { label, count }]) => ({
          label,
          count,
          href: to(name),
          isCurrent: tab === name,
        })),
        { label: 'Versions', count: versions.length, href: to('versions'), isCurrent: tab === 'versions' },
      ]}
    />
  )
}

/** The README, or a list of what the code has. */
function PartContent({ view, versions, version, metadata, part, tab, asked }: ModuleShown) {
  if (version === undefined || part === undefined)
    return (
      <Empty title={version === undefined ? 'No version yet' : 'Nothing is known about this version'}>
        <p>
          {versions.length === 0
            ? 'The module exists, but no version of it was published.'
            : 'The version was created, but its archive was not uploaded.'}
        </p>
      </Empty>
    )
  const list = partLists(part)[tab]
  return (
    <>
      <FaultNotice faults={metadata?.faults ?? []} />
      <Card {...(part.path === '' ? {} : { title: part.path })}>
        {list === undefined ? (
          <Readme {...{ view, part, metadata }} />
        ) : list.count === 0 ? (
          <p class="muted">{list.none}</p>
        ) : (
          list.shown(view.path, asked)
        )}
      </Card>
    </>
  )
}

function Readme({ view, part, metadata }: Pick<ModuleShown, 'view' | 'metadata'> & { part: ModulePart }) {
  if (part.readme.trim() === '') return <p class="muted">There is no README.</p>
  const parts = [...(metadata?.submodules ?? []), ...(metadata?.examples ?? [])]
  // A link to a submodule or an example beside the text leads to its own README.
  const pathOf = (file: string) => {
    const path = file.replace(/\/(readme\.md)?$/i, '')
    return parts.some((one) => one.path === path) ? withQuery(view.path, { part: path }) : undefined
  }
  return <Markdown text={part.readme} pathOf={pathOf} />
}

function FaultNotice({ faults }: { readonly faults: readonly string[] }) {
  if (faults.length === 0) return null
  return (
    <Notice kind="warn">
      <p>Some of the code could not be read, so the lists may be incomplete:</p>
      <ul>
        {faults.slice(0, 10).map((fault) => (
          <li class="wraps">{fault}</li>
        ))}
      </ul>
    </Notice>
  )
}

function Facts({ now, version, part }: ModuleShown & { readonly version: ModuleVersion }) {
  const { archive } = version
  return (
    <Card title="Version">
      <dl class="keyed">
        <dt>Published</dt>
        <dd>
          <Ago at={publishedAt(version) ?? version.createdAt} now={now} />
        </dd>
        <dt>By</dt>
        <dd class="wraps">{sayPrincipal(version.createdBy)}</dd>
        {part !== undefined && part.engine !== '' && (
          <>
            <dt>Engine</dt>
            <dd class="mono">{part.engine}</dd>
          </>
        )}
        {version.commitSha !== undefined && (
          <>
            <dt>Commit</dt>
            <dd class="mono wraps">{version.commitSha}</dd>
          </>
        )}
        {archive !== undefined && (
          <>
            <dt>Archive</dt>
            <dd>{bytes(archive.size)}</dd>
            <dt>SHA-256</dt>
            <dd class="mono wraps">{archive.sha256}</dd>
          </>
        )}
      </dl>
    </Card>
  )
}

/** As the API of Terraform Cloud stores it: what people may choose who use the module without writing code. */
function WithoutCode({ module, withoutCode }: ModuleShown) {
  if (withoutCode === undefined && module.noCode !== true) return null
  const { enabled = true, versionPin, variableOptions = [] } = withoutCode ?? {}
  return (
    <Card title="Use without code">
      <dl class="keyed">
        <dt>Offered</dt>
        <dd>{enabled ? 'yes' : 'no'}</dd>
        <dt>Version</dt>
        <dd class="mono">{versionPin ?? 'the newest'}</dd>
        {variableOptions.map(({ name, options }) => (
          <>
            <dt class="mono wraps">{name}</dt>
            <dd class="mono wraps">{options.length === 0 ? 'anything' : options.join(', ')}</dd>
          </>
        ))}
      </dl>
      <p class="faint">Stored by clients of the Terraform Cloud API. OpenTaco itself runs no code for it.</p>
    </Card>
  )
}

/** The folders of the module that can be used or read by themselves. */
function Parts({ view, metadata, part }: ModuleShown) {
  const groups = [
    { title: 'Submodules', parts: metadata?.submodules ?? [] },
    { title: 'Examples', parts: metadata?.examples ?? [] },
  ].filter(({ parts }) => parts.length > 0)
  if (groups.length === 0) return null
  const to = (path: string | undefined) => withQuery(view.path, { ...WHOLE_LIST, part: path })
  return (
    <>
      {groups.map(({ title, parts }) => (
        <Card title={title}>
          <ul class="plain-links bare mono">
            {part !== undefined && part.path !== '' && (
              <li>
                <a href={to(undefined)}>(root)</a>
              </li>
            )}
            {parts.map(({ path }) => (
              <li>
                <a href={to(path)} aria-current={path === part?.path ? 'true' : undefined}>
                  {path.split('/').at(-1)}
                </a>
              </li>
            ))}
          </ul>
        </Card>
      ))}
    </>
  )
}
