import { withQuery } from './addresses.ts'

const PATH = '/app'

/** The organization, and the way to others. With htmx, the others are listed when it is opened. */
export function Switcher({ name }: { readonly name: string }) {
  return (
    <details class="org menu-button">
      <summary aria-label={`Organization ${name}`}>{name}</summary>
      <div class="menu">
        <div
          hx-get={withQuery(PATH, { part: 'switcher' })}
          hx-trigger={'toggle once from:"closest details"'}
          hx-swap="outerHTML"
        ></div>
        <a href={PATH}>All organizations</a>
      </div>
    </details>
  )
}

/** What it lists. */
export function SwitcherList({ names }: { readonly names: readonly string[] }) {
  return (
    <div class="switcher-list">
      {names.map((name) => (
        <a href={`${PATH}/${encodeURIComponent(name)}`}>{name}</a>
      ))}
    </div>
  )
}
