import type { NavigationItem } from './navigation.ts'

const EVERYWHERE: readonly (readonly [keys: string, does: string])[] = [
  ['/', 'Search'],
  ['?', 'Show these keys'],
  ['j k', 'Next and previous row of a list'],
  ['Enter', 'Open the row'],
  ['Esc', 'Close, or clear the selection'],
  ['↑ ↓ ← →', 'Move on the map, or move a picture'],
  ['+ −', 'Zoom a picture'],
]

/** What the keys do (`taco.js`). Shown on request. */
export function Keys({ places }: { readonly places: readonly NavigationItem[] }) {
  const rows = [
    ...EVERYWHERE,
    ...places.flatMap(({ key, label }) => (key === undefined ? [] : [[`g ${key}`, label] as const])),
  ]
  return (
    <dialog id="keys" aria-labelledby="keys-title">
      <h2 id="keys-title">Shortcuts</h2>
      <dl class="keyed">
        {rows.map(([keys, does]) => (
          <>
            <dt>
              {keys.split(' ').map((key) => (
                <kbd>{key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </>
        ))}
      </dl>
      <form method="dialog">
        <button class="button small">Close</button>
      </form>
    </dialog>
  )
}
