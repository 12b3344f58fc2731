import { faultsIn } from '../../base/text/validation-messages.ts'
import { parseYaml, valuesOf } from '../../base/yaml/read-yaml.ts'
import { ProviderSettings, SECRET_SETTINGS } from './settings.ts'

const KINDS = Object.keys(SECRET_SETTINGS)

/**
 * Reads the settings of a sign-in provider, in YAML or JSON. A secret need not be in the file: `clientSecretEnv: NAME`
 * takes `clientSecret` from that environment variable. Throws BAD_REQUEST with every fault of the file, each with line and
 * column, and no value.
 */
export function readProviderFile(
  text: string,
  path: string,
  { id, env }: { readonly id: string; readonly env: Readonly<Record<string, string | undefined>> },
): ProviderSettings {
  const { document, faults } = parseYaml(text, { path, page: 'docs/access.md' })
  const values = valuesOf(document, faults)
  const settings: Record<string, unknown> = isMap(values) ? { ...values } : {}
  for (const secret of new Set(Object.values(SECRET_SETTINGS).flat())) {
    const reference = `${secret}Env`
    if (!Object.hasOwn(settings, reference)) continue
    const variable = settings[reference]
    delete settings[reference]
    const found = typeof variable === 'string' ? env[variable] : undefined
    if (Object.hasOwn(settings, secret))
      faults.add([reference], `Give ${secret} or ${reference}, not both.`, 'key')
    else if (found) settings[secret] = found
    else faults.add([reference], `The environment variable ${String(variable)} is not set.`)
  }
  const { id: written = id, kind } = settings
  if (written !== id)
    faults.add(['id'], `The file is for the provider ${JSON.stringify(written)}, not for "${id}".`)
  if (typeof kind !== 'string' || !KINDS.includes(kind))
    faults.add(['kind'], `The kind must be one of ${KINDS.join(', ')}.`)
  faults.throwIfAny()
  const result = ProviderSettings.safeParse({ ...settings, id })
  if (result.success) return result.data
  for (const { field, message } of faultsIn(result.error))
    faults.add(field.split('.'), `The setting ${field} ${message}.`)
  faults.throwIfAny()
  throw result.error
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
