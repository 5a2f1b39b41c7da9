export const ROWS_AT_ONCE = 2_000

/** All rows of a query, read in batches; each batch starts after the ID of the last row of the previous batch. */
export async function* eachRow<Row extends { readonly id: string }>(
  readBatch: (after: string) => PromiseLike<readonly Row[]>,
): AsyncGenerator<Row> {
  for (let after = '00000000-0000-0000-0000-000000000000'; ; ) {
    const rows = await readBatch(after)
    yield* rows
    const last = rows.at(-1)
    if (!last) return
    after = last.id
  }
}
