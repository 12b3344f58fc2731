import { readFileSync } from 'node:fs'
import { join } from 'node:path'

type Environment = Readonly<Record<string, string | undefined>>

/**
 * The region as the usual AWS tools find it: AWS_REGION, AWS_DEFAULT_REGION, then the profile's in the shared files
 * (https://docs.aws.amazon.com/sdkref/latest/guide/file-format.html).
 */
export function regionOf(env: Environment): string {
  return env['AWS_REGION'] || env['AWS_DEFAULT_REGION'] || regionOfProfile(env) || 'us-east-1'
}

function regionOfProfile(env: Environment): string | undefined {
  const profile = env['AWS_PROFILE'] || 'default'
  const home = env['HOME'] || env['USERPROFILE']
  const folder = home === undefined ? undefined : join(home, '.aws')
  const credentials = env['AWS_SHARED_CREDENTIALS_FILE'] || (folder && join(folder, 'credentials'))
  const config = env['AWS_CONFIG_FILE'] || (folder && join(folder, 'config'))
  const isNamed = (section: string) => section === profile
  // In the config file every profile but `default` is called `profile name`, and that one may be.
  const isProfile = (section: string) =>
    /^profile\s+(?<name>.+)$/.exec(section)?.groups?.['name'] === profile ||
    (profile === 'default' && section === 'default')
  return regionIn(credentials, isNamed) ?? regionIn(config, isProfile)
}

function regionIn(file: string | undefined, isWanted: (section: string) => boolean): string | undefined {
  let found: string | undefined
  let isInside = false
  for (const line of textOf(file).split(/\r?\n/)) {
    // What is indented belongs to the setting above it.
    const text = (/^\s/.test(line) ? '' : line).replace(/(^|\s)[#;].*$/, '').trim()
    const section = /^\[(?<name>.*)\]$/.exec(text)?.groups?.['name']
    if (section !== undefined) isInside = isWanted(section.trim().replaceAll(/["']/g, ''))
    else if (isInside) found = /^region\s*=\s*(?<region>\S+)$/.exec(text)?.groups?.['region'] ?? found
  }
  return found
}

function textOf(file: string | undefined): string {
  if (file === undefined) return ''
  try {
    return readFileSync(file, 'utf8')
  } catch {
    // Most machines have no such file, and a service may not be allowed to read it. If it contained the region, the
    // store reports which region it should have been.
    return ''
  }
}
