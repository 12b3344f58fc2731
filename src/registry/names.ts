import { valid } from 'semver'
import { badRequest } from '../base/errors.ts'

const MODULE_NAME = /^[0-9A-Za-z](?:[0-9A-Za-z_-]{0,62}[0-9A-Za-z])?$/
const MODULE_PROVIDER = /^[0-9a-z]{1,64}$/
const PROVIDER_TYPE = /^[0-9a-z](?:[0-9a-z-]{0,62}[0-9a-z])?$/
const PLATFORM_PART = /^[0-9a-z_]{1,32}$/
const FILE_NAME = /^[0-9A-Za-z][0-9A-Za-z._+-]{0,199}$/

/** Engines refuse addresses with other names. */
export function checkModuleName(name: string): void {
  if (!MODULE_NAME.test(name))
    throw badRequest(
      'name',
      `"${name}" cannot be the name of a module.`,
      'Use letters, digits, dashes and underscores, at most 64.',
    )
}

export function checkModuleProvider(provider: string): void {
  if (!MODULE_PROVIDER.test(provider))
    throw badRequest(
      'provider',
      `"${provider}" cannot be the provider of a module.`,
      'Use lowercase letters and digits, such as aws.',
    )
}

export function checkProviderType(name: string): void {
  if (!PROVIDER_TYPE.test(name) || name.includes('--'))
    throw badRequest(
      'name',
      `"${name}" cannot be the name of a provider.`,
      'Use lowercase letters, digits and single dashes, such as random.',
    )
}

export function checkVersion(version: string): void {
  if (valid(version) !== version)
    throw badRequest(
      'version',
      `"${version}" is not a version number.`,
      'Use three numbers as in 1.4.0, or a pre-release as in 1.4.0-rc1, without a leading v.',
    )
}

export function checkPlatformPart(field: 'os' | 'arch', value: string): void {
  if (!PLATFORM_PART.test(value))
    throw badRequest(field, `"${value}" is not the name of a platform.`, 'Use names such as linux and amd64.')
}

export function checkFileName(name: string): void {
  if (!FILE_NAME.test(name))
    throw badRequest(
      'filename',
      `"${name}" cannot be the name of a file.`,
      'Name it as terraform-provider-<name>_<version>_<os>_<arch>.zip.',
    )
}
