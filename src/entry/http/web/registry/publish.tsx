import { isTacoError } from '../../../../base/errors.ts'
import { seeOther } from '../../kit/response/redirect.ts'
import type { Route } from '../../kit/routes/route.ts'
import { orgPage } from '../org-page.ts'
import { orgUpload } from '../org-upload.ts'
import { withQuery } from '../shell/addresses.ts'
import { type Faults, faultsAt } from '../shell/faults.ts'
import { setFlash } from '../shell/flash.ts'
import { Field, describedBy } from '../shell/form/field.tsx'
import { TextField } from '../shell/form/text-field.tsx'
import { Card, Command, Split } from '../shell/parts.tsx'
import { htmlReply } from '../shell/render.ts'
import type { OrgView } from '../shell/view.ts'
import { ItemFrame, modulePath, registryPath } from './frame.tsx'

const path = '/registry/publish'

interface Input {
  readonly name: string
  readonly provider: string
  readonly version: string
}
const NOTHING: Input = { name: '', provider: '', version: '' }

export const publishRoutes: readonly Route[] = [
  orgPage({
    path,
    id: 'showPublishModule',
    action: 'registry:publish',
    summary: 'Publish a version of a module',
    handle: ({ view }) => htmlReply(<PublishPage view={view} input={NOTHING} />),
  }),
  orgUpload({
    path,
    id: 'publishModuleByForm',
    action: 'registry:publish',
    summary: 'Publish a version of a module from an archive',
    async handle({ params: { org }, fields, file, view, x, caller }, services) {
      const input: Input = {
        name: fields['name']?.trim() ?? '',
        provider: fields['provider']?.trim() ?? '',
        version: fields['version']?.trim() ?? '',
      }
      const refuse = (faults: Faults) =>
        htmlReply(<PublishPage view={view} input={input} faults={faults} />, 400)
      if (file === undefined) return refuse({ file: 'Choose the archive of the module.' })
      try {
        await services.registry.publish.module(org, input, { stream: file }, caller)
      } catch (error) {
        // The version exists, with another archive.
        if (isTacoError(error, 'CONFLICT')) return refuse(faultsAt(error, ['version'], 'CONFLICT'))
        const names = ['file', 'name', 'provider', 'version'] as const
        return refuse(faultsAt(error, names, 'ARCHIVE_INVALID', 'TOO_LARGE', 'LIMIT_REACHED'))
      }
      setFlash(x, services.cookies, {
        kind: 'ok',
        text: `Version ${input.version} of ${input.name}/${input.provider} was published.`,
      })
      return seeOther(withQuery(modulePath(view, input), { version: input.version }))
    },
  }),
]

interface PublishPageProps {
  readonly view: OrgView
  readonly input: Input
  readonly faults?: Faults
}

function PublishPage({ view, input, faults = {} }: PublishPageProps) {
  return (
    <ItemFrame view={view} title="Publish a module" list={{ label: 'Modules', path: '' }}>
      <Split
        side={
          <>
            <Card title="From a terminal">
              <p class="muted">The command packs the folder by itself, and leaves out states and caches.</p>
              <Command>taco registry module publish network/aws 1.0.0 ./modules/network</Command>
            </Card>
            <Card title="The archive">
              <p class="muted">
                A tar file, compressed with gzip, with the code of the module at its top. This packs the
                current folder:
              </p>
              <Command>tar czf /tmp/module.tar.gz .</Command>
            </Card>
          </>
        }
      >
        <Card>
          <form
            class="form"
            method="post"
            action={`${registryPath(view)}/publish`}
            enctype="multipart/form-data"
          >
            <input type="hidden" name="csrf" value={view.csrf} />
            <TextField
              id="name"
              label="Name"
              hint="Such as network. A module that does not exist is created."
              value={input.name}
              faults={faults}
              isRequired
              isMono
            />
            <TextField
              id="provider"
              label="Provider"
              hint="The main provider that it uses, such as aws."
              value={input.provider}
              faults={faults}
              isRequired
              isMono
            />
            <TextField
              id="version"
              label="Version"
              hint="Such as 1.0.0. A published version never changes."
              value={input.version}
              faults={faults}
              isRequired
              isMono
            />
            {/* The last field: the server reads the others first. */}
            <Field id="file" label="Archive" hint="At most 100 MiB." error={faults['file']}>
              <input
                id="file"
                type="file"
                name="file"
                accept=".gz,.tgz,application/gzip"
                required
                {...describedBy('file', faults)}
              />
            </Field>
            <div>
              <button class="button primary" type="submit">
                Publish
              </button>
            </div>
          </form>
        </Card>
      </Split>
    </ItemFrame>
  )
}
