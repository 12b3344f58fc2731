/** Where the state of a unit is, as each kind of backend says it. Tokens and keys are not part of the code. */
export type BackendPlace =
  /** Locks have the same address as the state. Undefined: it comes from the environment. */
  | { readonly kind: 'http'; readonly address: string | undefined }
  | {
      readonly kind: 'cloud' | 'remote'
      readonly hostname: string
      readonly organization: string
      readonly workspace: string
    }
  | { readonly kind: 's3'; readonly endpoint: string; readonly bucket: string; readonly key: string }

/** The address of a unit's http backend: slashes of the unit stay plain path segments. */
export function backendUrl(server: string, org: string, unit: string): string {
  return `${server}/v1/backend/${[org, ...unit.split('/')].map(encodeURIComponent).join('/')}`
}

export function backendBlock(place: BackendPlace): string {
  return `terraform {\n  ${innerBlock(place).replaceAll('\n', '\n  ').replaceAll(/^ +$/gm, '')}\n}\n`
}

/** What goes inside `terraform { … }`. */
export function innerBlock(place: BackendPlace): string {
  switch (place.kind) {
    case 'http':
      return httpBlock(place.address)
    case 's3':
      return s3Block(place)
    default:
      return `${place.kind === 'cloud' ? 'cloud' : 'backend "remote"'} {
  hostname     = ${hclText(place.hostname)}
  organization = ${hclText(place.organization)}

  workspaces {
    name = ${hclText(place.workspace)}
  }
}`
  }
}

function httpBlock(address: string | undefined): string {
  if (address === undefined) return 'backend "http" {}'
  return `backend "http" {
  address        = ${hclText(address)}
  lock_address   = ${hclText(address)}
  unlock_address = ${hclText(address)}
}`
}

/** The engines check nothing with AWS. The region is part of a signature, and any will do. */
function s3Block({ endpoint, bucket, key }: BackendPlace & { readonly kind: 's3' }): string {
  return `backend "s3" {
  bucket       = ${hclText(bucket)}
  key          = ${hclText(key)}
  region       = "us-east-1"
  use_lockfile = true

  endpoints                   = { s3 = ${hclText(endpoint)} }
  use_path_style              = true
  skip_credentials_validation = true
  skip_metadata_api_check     = true
  skip_region_validation      = true
  skip_requesting_account_id  = true
}`
}

/** A text as HCL writes it. */
export function hclText(value: string): string {
  return JSON.stringify(value)
    .replaceAll('${', () => '$${')
    .replaceAll('%{', '%%{')
}
