// What pages do better with JavaScript. Everything works without it.

document.documentElement.setAttribute('data-has-scripts', '')

document.addEventListener('click', (event) => {
  const button = event.target instanceof Element ? event.target.closest('[data-copy] button') : null
  if (!(button instanceof HTMLButtonElement)) return
  const say = (/** @type {string} */ text) => {
    button.textContent = text
    setTimeout(() => (button.textContent = 'Copy'), 2000)
  }
  const code = button.closest('[data-copy]')?.querySelector('code')
  if (!(code instanceof HTMLElement)) return
  copy(code).then(
    (isCopied) => say(isCopied ? 'Copied' : 'Not copied'),
    () => say('Not copied'),
  )
})

/** @param {HTMLElement} code */
async function copy(code) {
  // Browsers have this only with https and on localhost.
  if (isSecureContext) {
    await navigator.clipboard.writeText(code.textContent)
    return true
  }
  getSelection()?.selectAllChildren(code)
  return document.execCommand('copy')
}

// On a phone, tabs scroll: the one that is shown is in sight.
for (const tab of document.querySelectorAll('.tabs nav [aria-current]'))
  tab.scrollIntoView({ block: 'nearest', inline: 'center' })

// A menu closes as people expect it to.
document.addEventListener('click', (event) => {
  for (const menu of document.querySelectorAll('details:is(.me, .menu-button)[open]'))
    if (event.target instanceof Node && !menu.contains(event.target)) menu.removeAttribute('open')
})
document.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape') return
  for (const menu of document.querySelectorAll('details:is(.me, .menu-button)[open]')) {
    menu.removeAttribute('open')
    menu.querySelector('summary')?.focus()
  }
})

// Keys. They lead where the page has something to lead to: links of the navigation, rows of the list, the search.
let pressedG = -Infinity
document.addEventListener('keydown', (event) => {
  const { target, key } = event
  if (event.ctrlKey || event.metaKey || event.altKey || !(target instanceof HTMLElement)) return
  const isTyping = target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)
  if (key === 'Escape' && isTyping) target.blur()
  if (isTyping) return
  if (key === '?') {
    showKeys()
  } else if (key === '/') {
    const search = document.querySelector('[data-search]')
    if (!(search instanceof HTMLElement)) return
    event.preventDefault()
    search.focus()
  } else if (key === 'g') {
    pressedG = event.timeStamp
  } else if (event.timeStamp - pressedG < 1500 && /^[a-z]$/.test(key)) {
    pressedG = -Infinity
    const link = document.querySelector(`[data-go="${key}"]`)
    if (link instanceof HTMLElement) link.click()
  } else if (key === 'j' || key === 'k') {
    select(key === 'j' ? 1 : -1)
  } else if (key === 'Enter' && target.tagName !== 'A' && target.tagName !== 'BUTTON') {
    const href = selected()?.dataset['href']
    if (href !== undefined) location.assign(href)
  }
})

// Suggestions: down from the field, through them, and back.
document.addEventListener('keydown', (event) => {
  const { target, key } = event
  const around = target instanceof Element ? target.closest('.search') : null
  if (around === null || !['ArrowDown', 'ArrowUp', 'Escape'].includes(key)) return
  const all = [...around.querySelectorAll('[data-search], #suggestions a')]
  const at = all.findIndex((one) => one === target)
  const next = key === 'Escape' ? all[0] : all[at + (key === 'ArrowDown' ? 1 : -1)]
  if (key === 'Escape') around.querySelector('#suggestions')?.replaceChildren()
  if (!(next instanceof HTMLElement) || next === target) return
  event.preventDefault()
  next.focus()
})

function showKeys() {
  const keys = document.querySelector('#keys')
  if (keys instanceof HTMLDialogElement && !keys.open) keys.showModal()
}
document.addEventListener('click', ({ target }) => {
  if (target instanceof Element && target.closest('[data-shows-keys]') !== null) showKeys()
  // A click beside a dialog.
  if (target instanceof HTMLDialogElement) target.close()
})

/** @returns {HTMLElement | undefined} */
function selected() {
  const row = document.querySelector('[data-list] [aria-selected="true"]')
  return row instanceof HTMLElement ? row : undefined
}

/** @param {number} step */
function select(step) {
  const rows = [...document.querySelectorAll('[data-list] :is(tbody tr, li)')]
  const row = selected()
  const at = row === undefined ? (step > 0 ? 0 : rows.length - 1) : rows.indexOf(row) + step
  const next = rows[at]
  if (next === undefined) return
  row?.removeAttribute('aria-selected')
  next.setAttribute('aria-selected', 'true')
  next.scrollIntoView({ block: 'nearest' })
  // So that Tab goes on from here, and screen readers say where that is.
  const link = next.querySelector('a')
  if (link !== null) link.focus({ preventScroll: true })
}
