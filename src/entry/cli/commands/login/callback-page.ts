import { createHash } from 'node:crypto'

const SAYS = {
  'signed-in': ['Signed in', 'You can close this tab and go back to the command line.'],
  denied: ['Not signed in', 'You denied it. You can close this tab.'],
  failed: ['Not signed in', 'The command line says more.'],
  unknown: ['Nothing to do here', 'This page completes `taco login`, and this is not its answer.'],
} as const

const STYLE =
  ':root{color-scheme:light dark;font:14px/1.5 system-ui,sans-serif}main{max-width:32rem;margin:20vh auto;padding:0 1rem}h1{font-size:1.4rem}'

/** What the browser shows at the end of `taco login`. It comes from this machine, so it has no files beside it. */
export function callbackPage(
  ending: keyof typeof SAYS,
  detail = '',
): { readonly headers: Readonly<Record<string, string>>; readonly body: string } {
  const [title, text] = SAYS[ending]
  const style = createHash('sha256').update(STYLE).digest('base64')
  return {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': `default-src 'none'; style-src 'sha256-${style}'; frame-ancestors 'none'`,
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    },
    body: `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title} · OpenTaco</title><style>${STYLE}</style></head><body><main><h1>${title}</h1><p>${text}</p>${detail === '' ? '' : `<p>${escaped(detail)}</p>`}</main></body></html>\n`,
  }
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (one) => `&#${one.charCodeAt(0)};`)
}
