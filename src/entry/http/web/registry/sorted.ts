import type { Column, Sorting } from '../shell/table.tsx'

/** By what a column exports; what has no value comes last. Without a sorting, as they come. Pure. */
export function sorted<T>(
  items: readonly T[],
  columns: readonly Pick<Column<T>, 'name' | 'value'>[],
  sorting: Sorting | undefined,
): readonly T[] {
  const valueOf = columns.find(({ name }) => name === sorting?.by)?.value
  if (valueOf === undefined) return items
  const sign = sorting?.isDescending === true ? -1 : 1
  return items.toSorted((a, b) => {
    const [one, other] = [valueOf(a), valueOf(b)]
    if (one === other) return 0
    if (one === null || other === null) return one === null ? 1 : -1
    return one < other ? -sign : sign
  })
}
