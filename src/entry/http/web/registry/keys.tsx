import { sayPrincipal } from '../../../../base/text/author.ts'
import { z } from 'zod'
import type { GpgKey } from '../../../../registry/index.ts'
import { seeOther } from '../../kit/response/redirect.ts'
import type { Route } from '../../kit/routes/route.ts'
import { orgForm, orgPage } from '../org-page.ts'
import type { WebServices } from '../services.ts'
import { Confirm, checkConfirmed, confirmId } from '../shell/confirm.tsx'
import { ExportFormat, exported } from '../shell/export.ts'
import { type Faults, faultsAt } from '../shell/faults.ts'
import { setFlash } from '../shell/flash.ts'
import { TextArea } from '../shell/form/text-area.tsx'
import { Form } from '../shell/layout.tsx'
import { Ago, Card, Code, Command, Empty, Split } from '../shell/parts.tsx'
import { htmlReply } from '../shell/render.ts'
import { type Column, DataTable, ListFooter, pageOf } from '../shell/table.tsx'
import type { OrgView } from '../shell/view.ts'
import { RegistryFrame, registryPath } from './frame.tsx'

const PAGE_SIZE = 50
const path = '/registry/keys'

/** A key, and how many versions of providers it signs. */
interface KeyRow extends Pick<GpgKey, 'keyId' | 'asciiArmor' | 'createdAt' | 'createdBy'> {
  readonly signs: number
}

interface KeysShown {
  readonly view: OrgView
  readonly now: number
  readonly rows: readonly KeyRow[]
  readonly page: number
  /** What was typed. */
  readonly armor?: string
  readonly faults?: Faults
}

async function readRows(org: string, { registry }: WebServices): Promise<readonly KeyRow[]> {
  const [keys, catalog] = await Promise.all([registry.gpgKeys.list(org), registry.providers.catalog(org)])
  const signed = catalog.flatMap(({ versions }) => versions.map(({ keyId }) => keyId))
  return keys.map((key) => ({ ...key, signs: signed.filter((keyId) => keyId === key.keyId).length }))
}

export const keyRoutes: readonly Route[] = [
  orgPage({
    path,
    id: 'showSigningKeys',
    action: 'registry:read',
    summary: 'Public keys that sign providers',
    query: z.object({
      page: z.coerce.number().int().catch(1).default(1),
      format: ExportFormat.catch(undefined),
    }),
    async handle({ params: { org }, query, view }, services) {
      const shown = {
        view,
        now: services.clock.now(),
        rows: await readRows(org, services),
        page: query.page,
      }
      if (query.format !== undefined)
        return exported(query.format, 'keys', [...columnsOf(shown), ARMOR], shown.rows)
      return htmlReply(<KeysPage {...shown} />)
    },
  }),
  orgForm({
    path,
    id: 'addSigningKeyByForm',
    action: 'registry:publish',
    summary: 'Add a public key that signs providers',
    fields: { armor: z.string().default('') },
    async handle({ params: { org }, body, view, x, caller }, services) {
      // Browsers send lines of a text area with CRLF.
      const armor = body.armor.replaceAll('\r\n', '\n').trim()
      try {
        const { keyId } = await services.registry.publish.key(org, `${armor}\n`, caller)
        setFlash(x, services.cookies, { kind: 'ok', text: `The key ${keyId} was added.` })
        return seeOther(`${registryPath(view)}/keys`)
      } catch (error) {
        const faults = faultsAt(error, ['armor'], 'ALREADY_EXISTS', 'LIMIT_REACHED')
        const rows = await readRows(org, services)
        // A private key must not come back in a page.
        const kept = armor.includes('PRIVATE') ? '' : armor
        const shown = { view: at(view), now: services.clock.now(), rows, page: 1, armor: kept, faults }
        return htmlReply(<KeysPage {...shown} />, 400)
      }
    },
  }),
  orgForm({
    path: `${path}/{key}/delete`,
    params: { key: z.string() },
    id: 'deleteSigningKeyByForm',
    action: 'registry:publish',
    summary: 'Delete a key; versions that it signed cannot be installed any more',
    fields: { confirm: z.string().default('') },
    async handle({ params: { org, key }, body, view, x, caller }, services) {
      const { keyId } = await services.registry.gpgKeys.get(org, key)
      try {
        checkConfirmed(body.confirm, keyId, confirmId(keyId))
      } catch (error) {
        const faults = faultsAt(error, [confirmId(keyId)])
        const rows = await readRows(org, services)
        const shown = { view: at(view), now: services.clock.now(), rows, page: 1, faults }
        return htmlReply(<KeysPage {...shown} />, 400)
      }
      await services.registry.gpgKeys.remove(org, keyId, caller)
      setFlash(x, services.cookies, { kind: 'ok', text: `The key ${keyId} was deleted.` })
      return seeOther(`${registryPath(view)}/keys`)
    },
  }),
]

/** Links of the page that a form shows again lead to the page. */
const at = (view: OrgView): OrgView => ({ ...view, path: `${registryPath(view)}/keys` })

const ARMOR: Pick<Column<KeyRow>, 'name' | 'value'> = { name: 'key', value: ({ asciiArmor }) => asciiArmor }

function columnsOf({ now }: Pick<KeysShown, 'now'>): readonly Column<KeyRow>[] {
  return [
    {
      name: 'id',
      label: 'Key',
      cell: ({ keyId, asciiArmor }) => (
        <details class="more">
          <summary class="mono">{keyId}</summary>
          <Code label={`Public key ${keyId}`}>{asciiArmor}</Code>
        </details>
      ),
      value: ({ keyId }) => keyId,
    },
    {
      name: 'signs',
      label: 'Signs versions',
      isNumber: true,
      cell: ({ signs }) => signs,
      value: ({ signs }) => signs,
    },
    {
      name: 'addedAt',
      label: 'Added',
      cell: ({ createdAt }) => <Ago at={createdAt} now={now} />,
      value: ({ createdAt }) => new Date(createdAt).toISOString(),
    },
    {
      name: 'by',
      label: 'By',
      cell: ({ createdBy }) => sayPrincipal(createdBy),
      value: ({ createdBy }) => createdBy,
    },
  ]
}

function deleteColumn({ view, faults }: KeysShown): Column<KeyRow> {
  return {
    name: 'delete',
    label: 'Delete',
    cell: ({ keyId, signs }) => (
      <Confirm
        view={view}
        action={`${registryPath(view)}/keys/${encodeURIComponent(keyId)}/delete`}
        label="Delete the key"
        word={keyId}
        id={confirmId(keyId)}
        faults={faults}
      >
        <p>
          {signs === 0
            ? 'No version was published with it.'
            : `Engines cannot install the ${signs} versions that it signs any more.`}
        </p>
      </Confirm>
    ),
    value: () => null,
  }
}

function KeysPage(shown: KeysShown) {
  const { view, rows, page, armor = '', faults = {} } = shown
  const { items, paging } = pageOf(rows, page, PAGE_SIZE)
  const mayPublish = view.may('registry:publish')
  const columns = [...columnsOf(shown), ...(mayPublish ? [deleteColumn(shown)] : [])]
  return (
    <RegistryFrame view={view} tab="keys">
      <Split
        side={
          <>
            <Card title="What keys are for">
              <p class="muted">
                The checksums of a provider are signed. Engines get the public key from here and refuse a
                provider whose signature is of another key. The private key stays with you.
              </p>
            </Card>
            <Command>taco registry key ls</Command>
          </>
        }
      >
        {rows.length === 0 ? (
          <Empty title="No keys yet">
            <p>Before a provider can be published, the public key that signs it must be here.</p>
          </Empty>
        ) : (
          <Card>
            <DataTable path={view.path} caption="Signing keys" columns={columns} items={items} />
            <ListFooter path={view.path} paging={paging} />
          </Card>
        )}
        {mayPublish && (
          <Card title="Add a key">
            <Form view={view} action={`${registryPath(view)}/keys`} class="form">
              <TextArea
                id="armor"
                label="Public key"
                hint="What gpg --armor --export prints."
                value={armor}
                rows={6}
                placeholder="-----BEGIN PGP PUBLIC KEY BLOCK-----"
                faults={faults}
                isRequired
                isMono
              />
              <div>
                <button class="button primary" type="submit">
                  Add the key
                </button>
              </div>
            </Form>
          </Card>
        )}
      </Split>
    </RegistryFrame>
  )
}
