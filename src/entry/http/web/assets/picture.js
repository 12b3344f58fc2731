// Pictures that can be zoomed (buttons, Ctrl and the wheel, + and -) and moved (dragging, arrows).

/** @type {WeakMap<Element, () => void>} What brings back what a renewed part of the page took away. */
const movable = new WeakMap()

/** @type {Element | null} */
let focused = null

begin()
document.addEventListener('htmx:before:swap', () => void (focused = document.activeElement))
document.addEventListener('htmx:after:swap', () => {
  begin()
  // A renewed part of the page took away the tools, and the focus with them.
  if (focused instanceof HTMLElement && focused.closest('.picture-tools') !== null && focused.isConnected)
    focused.focus({ preventScroll: true })
})

function begin() {
  for (const frame of document.querySelectorAll('[data-picture]')) {
    const renew = movable.get(frame)
    if (renew === undefined) makeMovable(frame)
    else renew()
  }
}

/** @param {Element} frame */
function makeMovable(frame) {
  if (!(frame instanceof HTMLElement)) return
  const svg = frame.querySelector('svg')
  if (svg === null) return
  const { style } = frame
  frame.setAttribute('data-is-movable', '')
  /** The whole picture. */
  const size = { x: 0, y: 0, width: 0, height: 0 }
  /** What of it is shown. */
  const view = { ...size }
  let shown = ''
  const bar = tools()
  takeSize()
  fit()
  movable.set(frame, () => {
    // The picture as the server made it has its own view box: then it may have grown, but what is looked at stays.
    if (svg.getAttribute('viewBox') !== shown) takeSize()
    show()
  })

  function takeSize() {
    const { x, y, width, height } = /** @type {SVGSVGElement} */ (svg).viewBox.baseVal
    Object.assign(size, { x, y, width, height })
  }
  function show() {
    shown = `${view.x} ${view.y} ${view.width} ${view.height}`
    svg?.setAttribute('viewBox', shown)
    svg?.setAttribute('width', '100%')
    svg?.setAttribute('height', '100%')
    style.height = `${Math.min(innerHeight * 0.62, Math.max(260, size.height + 60))}px`
    if (bar.parentNode !== frame) frame.append(bar)
  }
  /** Small pictures keep their size, in the middle. */
  function fit() {
    show()
    const { width, height } = frame.getBoundingClientRect()
    const scale = Math.max(1, size.width / width, size.height / height)
    view.width = width * scale
    view.height = height * scale
    view.x = size.x - (view.width - size.width) / 2
    view.y = size.y - (view.height - size.height) / 2
    show()
  }
  /**
   * @param {number} factor
   * @param {{ x: number, y: number }} [at] between 0 and 1
   */
  function zoom(factor, at = { x: 0.5, y: 0.5 }) {
    const width = Math.min(Math.max(view.width * factor, 200), size.width * 4 + 2000)
    const real = width / view.width
    view.x += view.width * at.x * (1 - real)
    view.y += view.height * at.y * (1 - real)
    view.width = width
    view.height *= real
    show()
  }
  /** @param {number} x @param {number} y in parts of what is shown */
  function move(x, y) {
    view.x += x * view.width
    view.y += y * view.height
    show()
  }

  function tools() {
    const all = document.createElement('div')
    all.className = 'picture-tools'
    for (const [text, label, act] of /** @type {const} */ ([
      ['+', 'Zoom in', () => zoom(0.8)],
      ['−', 'Zoom out', () => zoom(1.25)],
      ['Fit', 'Fit: show everything', fit],
    ])) {
      const button = document.createElement('button')
      button.type = 'button'
      button.className = 'button small'
      button.textContent = text
      button.setAttribute('aria-label', label)
      button.addEventListener('click', act)
      all.append(button)
    }
    return all
  }

  frame.addEventListener(
    'wheel',
    (event) => {
      if (!(event instanceof WheelEvent) || !(event.ctrlKey || event.metaKey)) return
      event.preventDefault()
      const { left, top, width, height } = frame.getBoundingClientRect()
      const at = { x: (event.clientX - left) / width, y: (event.clientY - top) / height }
      zoom(event.deltaY > 0 ? 1.1 : 0.9, at)
    },
    { passive: false },
  )
  /** @type {{ x: number, y: number } | undefined} */
  let from
  let isDragged = false
  svg.addEventListener('pointerdown', (event) => {
    from = { x: event.clientX, y: event.clientY }
    isDragged = false
  })
  svg.addEventListener('pointermove', (event) => {
    if (from === undefined || event.buttons === 0) return
    const { width, height } = frame.getBoundingClientRect()
    const [x, y] = [from.x - event.clientX, from.y - event.clientY]
    if (!isDragged && Math.abs(x) + Math.abs(y) < 5) return
    isDragged = true
    move(x / width, y / height)
    from = { x: event.clientX, y: event.clientY }
  })
  // Dragging over a box does not open it.
  svg.addEventListener('click', (event) => isDragged && event.preventDefault(), true)
  svg.addEventListener('dragstart', (event) => event.preventDefault())
  svg.addEventListener('keydown', (event) => {
    const steps = /** @type {Record<string, [number, number]>} */ ({
      ArrowLeft: [-0.1, 0],
      ArrowRight: [0.1, 0],
      ArrowUp: [0, -0.1],
      ArrowDown: [0, 0.1],
    })
    const step = steps[event.key]
    if (step !== undefined) move(...step)
    else if (event.key === '+') zoom(0.8)
    else if (event.key === '-') zoom(1.25)
    else return
    event.preventDefault()
  })
}
