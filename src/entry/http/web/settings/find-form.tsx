/** Narrows a list to names that contain a text. In the address, so that it can be shared. */
export function FindForm({ path, search }: { readonly path: string; readonly search: string }) {
  return (
    <form class="find" action={path}>
      <input
        type="search"
        name="search"
        value={search}
        placeholder="Name contains"
        aria-label="Name contains"
      />
      <button class="button" type="submit">
        Filter
      </button>
    </form>
  )
}
