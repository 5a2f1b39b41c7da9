type Identified = { readonly id: string }

/** Records that were created after a list was read, as the event stream has reported them. */
export type NewRecords = {
  /** The latest, in order. */
  readonly ids: readonly string[]
  /** How many were reported before those. */
  readonly earlier: number
}

export const noneNew: NewRecords = { ids: [], earlier: 0 }

/** More than a page of a list has. A shop may have a thousand new records a second. */
const KEPT = 100

export const withNew = ({ ids, earlier }: NewRecords, created: readonly string[]): NewRecords => {
  const all = [...ids, ...created.filter(id => !ids.includes(id))]
  const kept = all.slice(-KEPT)
  return { ids: kept, earlier: earlier + all.length - kept.length }
}

/** How many of them a list lacks. If one of them is listed, the list was read after those that were reported before it. */
export const countNew = ({ ids, earlier }: NewRecords, rows: readonly Identified[]): number => {
  const listed = new Set(rows.map(({ id }) => id))
  const last = ids.findLastIndex(id => listed.has(id))
  return last < 0 ? earlier + ids.length : ids.length - last - 1
}
