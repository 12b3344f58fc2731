interface Kept {
  readonly count?: number | null | undefined
  readonly days?: number | null | undefined
}

/** Which versions stay, to end a sentence with "keeps". */
export function sayRetention(retention: Kept | null): string {
  const parts = [
    ...(retention?.count ? [`at least ${retention.count} versions`] : []),
    ...(retention?.days ? [`all of the last ${retention.days} days`] : []),
  ]
  return parts.length === 0 ? 'everything' : parts.join(' and ')
}
