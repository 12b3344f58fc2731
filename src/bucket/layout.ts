/** Everything that OpenTaco adds to a bucket is below this. */
export const ROOT = '.taco/'

/** What belongs to one organization. */
export const orgPrefix = (org: string) => `${ROOT}orgs/${org}/`

/** A layer's own folder in an organization: it builds the keys below, and no other layer does. */
export const layerPrefix = (org: string, layer: string) => `${orgPrefix(org)}${layer}/`

/** Lists of records of an organization, one object per kind (see the layer `records`). */
export const recordsPrefix = (org: string) => layerPrefix(org, 'records')
