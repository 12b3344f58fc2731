// A form that is sent by a double click does what it does once. What was typed is not lost when it could not be taken:
// after sign-in, or back from the page that says what went wrong, it is in the form again.

/** @typedef {{ name: string, at: number, value: string, checked: boolean }} Typed */
/** @typedef {{ action: string, at: number, fields: Typed[] }} TypedForm */
/** @typedef {{ person: string, isRefused: boolean, forms: TypedForm[] }} Kept */

const KEY = 'taco-typed'
const SENDING_MS = 10_000
/** New on every page, or not for a script to keep. */
const NOT_KEPT = 'button, [name="csrf"], [name="once"], [type="password"], [type="file"], [data-is-secret]'

const isRefusal = document.body.hasAttribute('data-is-refusal')
const person = document.querySelector('.me .name')?.textContent ?? ''

const kept = takeKept()
if (kept !== undefined && isRefusal) keep({ ...kept, isRefused: true })
else if (kept !== undefined && kept.isRefused && kept.person === person) fillIn(kept.forms)

// Also when a script leaves the page because the session is over.
addEventListener('pagehide', () => {
  const forms = isRefusal ? [] : postForms().flatMap(([form, at]) => typedIn(form, at))
  if (forms.length > 0) keep({ person, isRefused: false, forms })
})

/** @type {WeakMap<HTMLFormElement, number>} */
const sentAt = new WeakMap()
document.addEventListener('submit', (event) => {
  const { target: form, timeStamp } = event
  if (!(form instanceof HTMLFormElement) || form.getAttribute('method') !== 'post') return
  if (timeStamp - (sentAt.get(form) ?? -Infinity) < SENDING_MS) event.preventDefault()
  else sentAt.set(form, timeStamp)
})
// The browser went back to it.
addEventListener('pageshow', ({ persisted }) => persisted && postForms().map(([form]) => sentAt.delete(form)))

/** @returns {Kept | undefined} */
function takeKept() {
  const text = sessionStorage.getItem(KEY)
  sessionStorage.removeItem(KEY)
  return text === null ? undefined : JSON.parse(text)
}

/** @param {Kept} what */
function keep(what) {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(what))
  } catch {
    // Too much for the browser: it is lost as it would be without this script.
  }
}

/** With their place among those with the same action. @returns {[form: HTMLFormElement, at: number][]} */
function postForms() {
  /** @type {Map<string, number>} */
  const counts = new Map()
  return [...document.querySelectorAll('main form')].flatMap((form) => {
    if (!(form instanceof HTMLFormElement) || form.getAttribute('method') !== 'post') return []
    const action = actionOf(form)
    const at = counts.get(action) ?? 0
    counts.set(action, at + 1)
    return [[form, at]]
  })
}

/** @param {HTMLFormElement} form */
function actionOf(form) {
  return form.getAttribute('action') ?? ''
}

/** @param {HTMLFormElement} form @returns {[field: HTMLInputElement, at: number][]} */
function fieldsOf(form) {
  /** @type {Map<string, number>} */
  const counts = new Map()
  return [...form.elements].flatMap((element) => {
    const field = /** @type {HTMLInputElement} */ (element)
    if (field.name === undefined || field.name === '' || field.matches(NOT_KEPT)) return []
    const at = counts.get(field.name) ?? 0
    counts.set(field.name, at + 1)
    return [[field, at]]
  })
}

/** Nothing, if the form is as the server made it. With one change, all fields: also what the change was based on. */
function typedIn(/** @type {HTMLFormElement} */ form, /** @type {number} */ at) {
  const fields = fieldsOf(form)
  // Of a variable.
  const isSecret = form.querySelector('[name="sensitive"]:checked') !== null
  if (!fields.some(([field]) => isChanged(field)) && form.querySelector('[aria-invalid]') === null) return []
  const typed = fields
    .filter(([{ name }]) => !(isSecret && name === 'value'))
    .map(([{ name, value, checked }, place]) => ({ name, at: place, value, checked }))
  return [{ action: actionOf(form), at, fields: typed }]
}

/** @param {HTMLInputElement | HTMLSelectElement} field */
function isChanged(field) {
  if (field instanceof HTMLSelectElement) {
    const before = [...field.options].findIndex(({ defaultSelected }) => defaultSelected)
    return field.selectedIndex !== Math.max(before, 0)
  }
  return (
    field.type !== 'hidden' && (field.value !== field.defaultValue || field.checked !== field.defaultChecked)
  )
}

/** @param {TypedForm[]} typed */
function fillIn(typed) {
  const forms = postForms()
  for (const { action, at, fields } of typed) {
    const form = forms.find(([one, place]) => actionOf(one) === action && place === at)?.[0]
    if (form === undefined) continue
    const places = fieldsOf(form)
    for (const { name, at: nth, value, checked } of fields) {
      const field = places.find(([one, place]) => one.name === name && place === nth)?.[0]
      if (field === undefined) continue
      if (field.type === 'checkbox' || field.type === 'radio') field.checked = checked
      else field.value = value
    }
    const mark = document.createElement('div')
    mark.className = 'notice warn'
    mark.setAttribute('role', 'status')
    mark.textContent =
      'Nothing was saved. What you typed is in the form again, except secrets. Send it once more.'
    form.before(mark)
    const around = form.closest('details')
    if (around !== null) around.open = true
    mark.scrollIntoView({ block: 'center' })
  }
}
