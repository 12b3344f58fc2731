interface FindFormProps {
  /** Of the list, with the filters that stay. */
  readonly path: string
  readonly search: string
  readonly label?: string
}

/** Narrows a list to what contains a text. In the address, so that it can be shared. */
export function FindForm({ path, search, label = 'Name contains' }: FindFormProps) {
  const [action = '', query = ''] = path.split('?')
  const kept = [...new URLSearchParams(query)].filter(
    ([name]) => !['search', 'page', 'cursor'].includes(name),
  )
  return (
    <search>
      <form class="find" action={action}>
        {kept.map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        <input type="search" name="search" value={search} placeholder={label} aria-label={label} />
        <button class="button" type="submit">
          Filter
        </button>
      </form>
    </search>
  )
}
