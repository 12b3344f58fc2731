import { sayPrincipal } from '../../../../base/text/author.ts'
import type { Deprecation, DeprecationText, ModuleVersion } from '../../../../registry/index.ts'
import { withQuery } from '../shell/addresses.ts'
import { TextField } from '../shell/form/text-field.tsx'
import { Form } from '../shell/layout.tsx'
import { Ago, Card, Notice } from '../shell/parts.tsx'
import { modulePath } from './frame.tsx'
import { type ModuleShown, newestOf } from './module-shown.ts'

/** Says that people should use another version, and which. */
export function DeprecationNotice(shown: ModuleShown & { readonly deprecation: Deprecation }) {
  const { view, module, versions, version, now, deprecation } = shown
  const newest = newestOf(versions)
  return (
    <Notice kind="warn">
      <p>
        Version {version?.version} is deprecated: {deprecation.reason}{' '}
        {deprecation.link !== undefined && (
          <a href={deprecation.link} rel="noopener noreferrer nofollow">
            Read more
          </a>
        )}
      </p>
      <p class="muted">
        By {sayPrincipal(deprecation.by)}, <Ago at={deprecation.at} now={now} />.{' '}
        {newest !== undefined && newest !== version && (
          <>
            The newest version is <a href={withQuery(modulePath(view, module), {})}>{newest.version}</a>.
          </>
        )}
      </p>
    </Notice>
  )
}

/** What the form knew. Pure. */
export function beforeIn(text: string): DeprecationText | null {
  const [reason = '', link] = text.split('\n')
  if (reason === '') return null
  return link === undefined ? { reason } : { reason, link }
}

/** One line for the reason, and one for the link: neither has line breaks. */
export const beforeText = (deprecation: DeprecationText | undefined) =>
  deprecation === undefined ? '' : [deprecation.reason, deprecation.link].filter(Boolean).join('\n')

/** Deprecates the version that is shown, or takes that back. */
export function DeprecationCard(shown: ModuleShown & { readonly version: ModuleVersion }) {
  const { view, module, version, faults = {}, input } = shown
  const { deprecation } = version
  const action = `${modulePath(view, module)}/versions/${encodeURIComponent(version.version)}/deprecation`
  const typed = input ?? { reason: deprecation?.reason ?? '', link: deprecation?.link ?? '' }
  const isOpen = ['reason', 'link', 'race'].some((name) => faults[name] !== undefined)
  return (
    <Card title="Deprecation">
      {faults['race'] !== undefined && (
        <Notice kind="fail">
          <p>{faults['race']} What you typed is in the form. This is what it says now:</p>
          <p class="wraps">
            {deprecation === undefined ? 'The version is not deprecated.' : deprecation.reason}
          </p>
        </Notice>
      )}
      <p class="muted">
        {deprecation === undefined
          ? 'Warn people not to use this version. Engines can still install it.'
          : 'People who open this page, or list versions, see the warning.'}
      </p>
      <details class="more" open={isOpen}>
        <summary>{deprecation === undefined ? 'Deprecate this version' : 'Change the reason'}</summary>
        <Form view={view} action={action} class="form">
          <input type="hidden" name="before" value={beforeText(deprecation)} />
          <TextField
            id="reason"
            label="Reason"
            hint="What people should use instead."
            value={typed.reason}
            faults={faults}
            most={1000}
            isRequired
          />
          <TextField id="link" label="Link" hint="Optional, with https." value={typed.link} faults={faults} />
          <div>
            <button class="button" type="submit">
              {deprecation === undefined ? `Deprecate ${version.version}` : 'Save'}
            </button>
          </div>
        </Form>
      </details>
      {deprecation !== undefined && (
        <Form view={view} action={action} class="form">
          <input type="hidden" name="before" value={beforeText(deprecation)} />
          <input type="hidden" name="end" value="yes" />
          <div>
            <button class="button" type="submit">
              Take it back
            </button>
          </div>
        </Form>
      )}
    </Card>
  )
}
