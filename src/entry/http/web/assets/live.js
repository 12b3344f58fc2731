// Follows what happens in the organization while a page is in sight. Parts of the page that have `data-live-on` get the
// event `live` (an htmx trigger) when an event of the journal has a type that begins with one of its words.

/** @typedef {{ trigger(element: Element, name: string): void }} Htmx */

const path = document.body.dataset['live']
/** @type {EventSource | undefined} */
let source
/** @type {Set<Element>} */
const waiting = new Set()
let wasLive = false
/** After so long without the server, the page says so. */
const SILENT_MS = 5000
/** @type {ReturnType<typeof setTimeout> | undefined} */
let silent
/** Parts with `data-live-unit`, after an event of another unit. @type {Set<Element>} */
const ofOthers = new Set()
const GATHER_MS = 2000
/** @type {ReturnType<typeof setTimeout> | undefined} */
let gathering

if (path !== undefined) {
  follow(path)
  // Browsers allow six connections to a server: pages in the background must not take them.
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) return stop()
    if (source !== undefined) return
    follow(path)
  })
  // Otherwise the open stream delays the next page.
  addEventListener('pagehide', stop)
  addEventListener('pageshow', (event) => event.persisted && follow(path))
}

/** @param {string} from */
function follow(from) {
  stop()
  source = new EventSource(from)
  source.addEventListener('journal', (message) => {
    /** @type {{ type: string, unit: { id: string } | null }} */
    const { type, unit } = JSON.parse(message.data)
    for (const part of document.querySelectorAll('[data-live-on]')) {
      const words = part.getAttribute('data-live-on')?.split(' ') ?? []
      if (!words.some((word) => type.startsWith(word))) continue
      const own = part.getAttribute('data-live-unit')
      if (own === null || own === unit?.id) waiting.add(part)
      else ofOthers.add(part)
    }
    if (waiting.size > 0) setTimeout(tell, 100)
    if (ofOthers.size > 0) gathering ??= setTimeout(tellOfOthers, GATHER_MS)
    say('journal', message)
  })
  for (const name of ['looks', 'reload']) source.addEventListener(name, (message) => say(name, message))
  // The person may not read on.
  source.addEventListener('end', stop)
  // A browser tries again by itself after a connection breaks, but not after an answer that is none.
  source.addEventListener('error', () => {
    if (document.documentElement.hasAttribute('data-is-live')) renewedAt = new Date()
    document.documentElement.removeAttribute('data-is-live')
    silent ??= setTimeout(markBehind, SILENT_MS)
    if (source?.readyState === EventSource.CLOSED)
      setTimeout(() => source !== undefined && follow(from), 5000)
  })
  source.addEventListener('open', () => {
    document.documentElement.setAttribute('data-is-live', '')
    heard()
    document.querySelector('#behind')?.remove()
    // Something may have happened while it was not.
    if (wasLive) tellAll()
    wasLive = true
  })
}

function stop() {
  source?.close()
  source = undefined
  heard()
  document.documentElement.removeAttribute('data-is-live')
}

function heard() {
  clearTimeout(silent)
  silent = undefined
}

/** @param {string} name @param {MessageEvent} message */
function say(name, message) {
  document.dispatchEvent(new CustomEvent(`taco:${name}`, { detail: JSON.parse(message.data) }))
}

function tellAll() {
  for (const part of document.querySelectorAll('[data-live-on]')) waiting.add(part)
  tell()
}

/** The page of a unit follows what happens to it at once, and what happens to others, which may be much, at times. */
function tellOfOthers() {
  gathering = undefined
  for (const part of ofOthers) waiting.add(part)
  ofOthers.clear()
  tell()
}

function tell() {
  const { htmx } = /** @type {{ htmx?: Htmx }} */ (/** @type {unknown} */ (globalThis))
  for (const part of waiting) htmx?.trigger(part, 'live')
  waiting.clear()
}

// A part that could not be renewed stays as it was, and the page says so until the next one can.

let renewedAt = new Date()
document.addEventListener('htmx:response:error', (event) => {
  const { ctx } = /** @type {CustomEvent<{ ctx: { response: { status: number } } }>} */ (event).detail
  if (ctx.response.status >= 500) markBehind()
})

function markBehind() {
  if (document.querySelector('#behind') !== null) return
  const mark = document.createElement('div')
  mark.id = 'behind'
  mark.className = 'notice warn'
  mark.setAttribute('role', 'status')
  const time = renewedAt.toLocaleTimeString(undefined, { timeStyle: 'short' })
  mark.textContent = `The server cannot renew this page now. It shows what was known at ${time}.`
  document.querySelector('main')?.prepend(mark)
}
document.addEventListener('htmx:after:swap', () => {
  renewedAt = new Date()
  document.querySelector('#behind')?.remove()
})
