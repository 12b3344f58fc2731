// What pages do better with JavaScript. Everything works without it.

for (const place of document.querySelectorAll('[data-copy]')) {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'button small'
  button.textContent = 'Copy'
  const say = (/** @type {string} */ text) => {
    button.textContent = text
    setTimeout(() => (button.textContent = 'Copy'), 2000)
  }
  button.addEventListener('click', () => {
    navigator.clipboard.writeText(place.querySelector('code')?.textContent ?? '').then(
      () => say('Copied'),
      () => say('Not copied'),
    )
  })
  place.append(button)
}

// A menu closes as people expect it to.
document.addEventListener('click', (event) => {
  for (const menu of document.querySelectorAll('details.me[open]'))
    if (event.target instanceof Node && !menu.contains(event.target)) menu.removeAttribute('open')
})
document.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape') return
  for (const menu of document.querySelectorAll('details.me[open]')) {
    menu.removeAttribute('open')
    menu.querySelector('summary')?.focus()
  }
})
