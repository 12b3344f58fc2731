/** Of answers for programs, which may hold states and other secrets: nothing is cached, framed, sniffed or shared. */
export const PROGRAM_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const
