// The map of the estate: selecting without leaving the page, arrow keys, names under the pointer, colours that change
// while it is open; and the slider through time.

/** @typedef {{ ajax(method: string, path: string, options: object): Promise<unknown> }} Htmx */

const { htmx } = /** @type {{ htmx: Htmx }} */ (/** @type {unknown} */ (globalThis))
/** @type {Map<string, HTMLAnchorElement> | undefined} */
let cells

begin()

function begin() {
  cells = undefined
  // One stop for the Tab key; arrows go on from there.
  const map = document.querySelector('[data-map]')
  if (map !== null) {
    for (const cell of map.querySelectorAll('.cells a')) cell.setAttribute('tabindex', '-1')
    const first = map.querySelector('.cells a[aria-current]') ?? map.querySelector('.cells a')
    first?.setAttribute('tabindex', '0')
  }
  const form = document.querySelector('form[data-time]')
  if (form instanceof HTMLFormElement && form.querySelector('input[type="range"]') === null) makeSlider(form)
}

/** @param {EventTarget | null} target @returns {HTMLAnchorElement | undefined} */
function cellOf(target) {
  const cell = target instanceof Element ? target.closest('.cells a') : null
  return cell instanceof HTMLAnchorElement ? cell : undefined
}

/** @param {HTMLAnchorElement} link */
function unitOf(link) {
  return new URL(link.href).searchParams.get('unit') ?? ''
}

// Selecting

document.addEventListener('click', (event) => {
  const link = event.target instanceof Element ? event.target.closest('.cells a, [data-select]') : null
  if (!(link instanceof HTMLAnchorElement) || event.ctrlKey || event.metaKey || event.shiftKey) return
  event.preventDefault()
  history.pushState(null, '', link.href)
  void showSelected().then(saySelected)
})
// Links within the page, such as the one to the content, end up here, too.
addEventListener(
  'popstate',
  () => selectedIn(location.href) === shown || void showSelected().then(saySelected),
)
document.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape' || !location.search.includes('unit=')) return
  const url = new URL(location.href)
  url.searchParams.delete('unit')
  history.pushState(null, '', url)
  void showSelected()
})

/** @param {string} address */
function selectedIn(address) {
  return new URL(address).searchParams.get('unit')
}

let shown = selectedIn(location.href)

// For those who do not see the panel. Only what they selected is said, not what changes while the page is open.
const said = document.createElement('p')
said.className = 'unseen'
said.setAttribute('role', 'status')
document.body.append(said)

function saySelected() {
  const text = (/** @type {string} */ part) => document.querySelector(`#panel ${part}`)?.textContent ?? ''
  said.textContent = shown === null ? '' : `${shown}: ${text('.chip')}. ${text('.why')}`
}

async function showSelected() {
  const url = new URL(location.href)
  const unit = (shown = selectedIn(location.href))
  if (document.querySelector('#panel') === null) return
  for (const before of document.querySelectorAll('#estate :is(.cells, .tree) a[aria-current]'))
    before.removeAttribute('aria-current')
  const cell = unit === null ? undefined : allCells().get(unit)
  cell?.setAttribute('aria-current', 'true')
  url.searchParams.set('part', 'panel')
  // Morphed: who is in the panel already stays there when it changes.
  await htmx.ajax('GET', url.pathname + url.search, { target: '#panel', swap: 'outerMorph' })
}

function allCells() {
  if (cells === undefined) {
    cells = new Map()
    for (const cell of document.querySelectorAll('.cells a'))
      if (cell instanceof HTMLAnchorElement) cells.set(unitOf(cell), cell)
  }
  return cells
}

// Arrow keys

document.addEventListener('keydown', (event) => {
  const cell = cellOf(event.target)
  if (cell === undefined) return
  const next = neighbour(cell, event.key)
  if (next === undefined) return
  event.preventDefault()
  cell.setAttribute('tabindex', '-1')
  next.setAttribute('tabindex', '0')
  next.focus()
})

/** @param {HTMLAnchorElement} cell @param {string} key @returns {HTMLAnchorElement | undefined} */
function neighbour(cell, key) {
  const all = [...document.querySelectorAll('.cells a')].filter((one) => one instanceof HTMLAnchorElement)
  const at = all.indexOf(cell)
  if (key === 'ArrowRight') return all[at + 1]
  if (key === 'ArrowLeft') return all[at - 1]
  if (key !== 'ArrowDown' && key !== 'ArrowUp') return undefined
  const step = key === 'ArrowDown' ? 1 : -1
  const { left, top } = cell.getBoundingClientRect()
  // The nearest one of the next row, within the same column of the page.
  for (let i = at + step; all[i] !== undefined; i += step) {
    const place = all[i]?.getBoundingClientRect()
    if (place !== undefined && (place.top - top) * step > 4 && Math.abs(place.left - left) < 9) return all[i]
  }
  return undefined
}

// Names under the pointer, at once

const box = document.createElement('div')
box.className = 'hint-box'
box.hidden = true
// What it says, the link says, too.
box.setAttribute('aria-hidden', 'true')
document.body.append(box)
document.addEventListener('pointerover', (event) => {
  const cell = cellOf(event.target)
  box.hidden = cell === undefined
  if (cell === undefined) return
  // The browser would show the same a second later.
  if (cell.title !== '') {
    cell.setAttribute('aria-label', cell.title)
    cell.removeAttribute('title')
  }
  box.textContent = cell.getAttribute('aria-label')
  const { left, bottom } = cell.getBoundingClientRect()
  box.style.left = `${Math.max(8, Math.min(left, innerWidth - box.offsetWidth - 8))}px`
  box.style.top = `${bottom + 6}px`
})

// Colours that change while the page is open

document.addEventListener('taco:looks', (event) => {
  /** @type {{ units: [name: string, look: string, words: string][] }} */
  const { units } = /** @type {CustomEvent} */ (event).detail
  const isWhole = document.querySelector('#estate[data-is-filtered]') === null
  if (!isWhole || units.some(([name]) => !allCells().has(name))) return reloadSoon()
  for (const [name, look, words] of units) {
    const cell = allCells().get(name)
    if (cell === undefined) continue
    count(cell.className, -1)
    count(`look-${look}`, 1)
    cell.className = `look-${look}`
    cell.removeAttribute('title')
    cell.setAttribute('aria-label', `${name}: ${words}`)
    cell.setAttribute('data-has-changed', '')
    setTimeout(() => cell.removeAttribute('data-has-changed'), 2000)
  }
  if (shown === null || units.some(([name]) => name === shown)) void showSelected()
})
document.addEventListener('taco:reload', reloadSoon)

/** @param {string} look @param {number} by */
function count(look, by) {
  const place = document.querySelector(`[data-count="${look.replace('look-', '')}"] b`)
  // A status that no unit had before has no place yet.
  if (place === null) return reloadSoon()
  const before = Number(place.textContent?.replaceAll(',', ''))
  place.textContent = (before + by).toLocaleString('en')
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let reloading
function reloadSoon() {
  reloading ??= setTimeout(async () => {
    reloading = undefined
    const path = location.pathname + location.search
    await htmx.ajax('GET', path, { target: '#estate', select: '#estate', swap: 'outerMorph' })
    begin()
  }, 300)
}

// Through time: the last 30 days, finer the closer to now

/** @param {HTMLFormElement} form */
function makeSlider(form) {
  const span = 30 * 86_400_000
  const now = Date.now()
  const at = form.dataset['time'] === '' ? now : Number(form.dataset['time'])
  const field = form.querySelector('input[name="at"]')
  if (!(field instanceof HTMLInputElement)) return
  /** @param {number} place from 0 to 1000 */
  const timeAt = (place) => now - span * (1 - place / 1000) ** 3
  const slider = document.createElement('input')
  slider.type = 'range'
  slider.max = '1000'
  slider.value = String(1000 * (1 - Math.cbrt(Math.min(1, Math.max(0, (now - at) / span)))))
  const begun = slider.value
  slider.setAttribute('aria-label', 'As of')
  const shown = document.createElement('output')
  const say = () => {
    const isNow = slider.value === '1000'
    // Until someone moves it, the slider means the exact time in the address, not its nearest step.
    const time = new Date(slider.value === begun ? at : timeAt(Number(slider.value)))
    shown.textContent = isNow ? 'now' : `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`
    slider.setAttribute('aria-valuetext', shown.textContent)
  }
  slider.addEventListener('input', say)
  slider.addEventListener('change', () => {
    const url = new URL(location.href)
    url.searchParams.delete('at')
    if (slider.value !== '1000')
      url.searchParams.set('at', `${new Date(timeAt(Number(slider.value))).toISOString().slice(0, 19)}Z`)
    location.assign(url)
  })
  say()
  const label = document.createElement('span')
  label.textContent = 'as of'
  form.replaceChildren(label, slider, shown)
  // A page that is renewed keeps it, and the focus with it.
  form.setAttribute('hx-morph-skip', '')
}
