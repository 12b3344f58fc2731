import type { NavigationItem } from './navigation.ts'
import type { View } from './view.ts'

/** The places that fit beside each other on a phone; the others are under More. */
const MOST_ON_PHONE = 4

/** Beside the content. */
export function Navigation({ view }: { readonly view: View }) {
  return (
    <nav class="side" aria-label="Main">
      {view.navigation.map((group) => (
        <ul>
          {group.map((item) => (
            <li>
              <Place view={view} item={item} />
            </li>
          ))}
        </ul>
      ))}
    </nav>
  )
}

/** At the bottom of a phone. It opens without JavaScript. */
export function PhoneNavigation({ view }: { readonly view: View }) {
  const all = view.navigation.flat()
  const shown = all.slice(0, all.length === MOST_ON_PHONE + 1 ? all.length : MOST_ON_PHONE)
  const more = all.slice(shown.length)
  const isWithin = more.some(({ href }) => currentIn(view, href) !== undefined)
  return (
    <nav class="phone" aria-label="Main">
      {shown.map((item) => (
        <Place view={view} item={item} />
      ))}
      {more.length > 0 && (
        <details class="menu-button">
          <summary class={isWithin ? 'within' : undefined}>More</summary>
          <ul class="menu">
            {more.map((item) => (
              <li>
                <Place view={view} item={item} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </nav>
  )
}

function Place({ view, item }: { readonly view: View; readonly item: NavigationItem }) {
  const { label, href, key } = item
  const count = item.count?.()
  return (
    <a href={href} aria-current={currentIn(view, href)} data-go={key}>
      {label}
      {count !== undefined && <span class="n num">{count.toLocaleString('en')}</span>}
    </a>
  )
}

/** The estate begins like every other page of the organization; the others also stand for the pages below them. */
function currentIn({ path: whole, org }: View, href: string): 'page' | 'true' | undefined {
  const path = whole.replace(/\?.*/, '')
  if (path === href) return 'page'
  const isBelow =
    href === org?.base ? /^\/(units|new-unit)\b/.test(path.slice(href.length)) : path.startsWith(`${href}/`)
  return isBelow ? 'true' : undefined
}
