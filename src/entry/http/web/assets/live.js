// Follows what happens in the organization while a page is open. Parts of the page that have `data-live-on` get the
// event `live` (an htmx trigger) when an event of the journal has a type that begins with one of its words.

/** @typedef {{ trigger(element: Element, name: string): void, ajax(method: string, path: string, options: object): void }} Htmx */

const path = document.body.dataset['live']
if (path !== undefined) {
  const source = new EventSource(path)
  /** @type {Set<Element>} */
  const waiting = new Set()

  source.addEventListener('journal', (message) => {
    /** @type {{ type: string }} */
    const { type } = JSON.parse(message.data)
    for (const part of document.querySelectorAll('[data-live-on]')) {
      const words = part.getAttribute('data-live-on')?.split(' ') ?? []
      if (words.some((word) => type.startsWith(word))) waiting.add(part)
    }
    if (waiting.size > 0) setTimeout(tell, 100)
    document.dispatchEvent(new CustomEvent('taco:journal', { detail: JSON.parse(message.data) }))
  })
  for (const name of ['looks', 'reload'])
    source.addEventListener(name, (message) =>
      document.dispatchEvent(new CustomEvent(`taco:${name}`, { detail: JSON.parse(message.data) })),
    )
  // The person may not read on.
  source.addEventListener('end', () => source.close())
  source.addEventListener('open', () => document.documentElement.setAttribute('data-is-live', ''))
  // Otherwise the open stream delays the next page.
  addEventListener('pagehide', () => source.close())

  function tell() {
    const { htmx } = /** @type {{ htmx?: Htmx }} */ (/** @type {unknown} */ (globalThis))
    for (const part of waiting) htmx?.trigger(part, 'live')
    waiting.clear()
  }
}
