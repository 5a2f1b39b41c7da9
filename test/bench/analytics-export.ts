import type { Sql } from '../../src/postgres/connect.ts'
import type { Bench } from './bench.ts'
import { thousands } from './promises.ts'
import { openStreamShop, type StreamShop } from './streams-shop.ts'

export type ExportSizes = {
  /** Payments of one file. */
  readonly exported: number
}

const MOST_S = 60
const MOST_MIB = 64
const SAMPLE_MS = 50

/** A file with all payments of a year: how long it takes, and how much memory the server needs for it. */
export const promiseExport = async ({ server, print, report }: Bench, { exported }: ExportSizes): Promise<void> => {
  await using shop = await openStreamShop(server, { links: 1, rows: 1 })
  await fillPayments(shop, exported - 1)
  await shop.sql`vacuum (analyze) payments`
  await shop.sql`vacuum (analyze) transfers`
  const bearer = await shop.bearer()
  // The first has code to compile and plans to make.
  await download(shop, bearer, { days: 2 })
  for (const format of ['csv', 'ndjson'] as const) {
    const { rss: before } = await shop.memory()
    const { rows, bytes, seconds, most } = await download(shop, bearer, { days: 399, format })
    const from = `${(bytes / 2 ** 20).toFixed(0)} MiB, ${thousands(rows / seconds)} rows/s`
    print(
      `${format}: ${thousands(rows)} rows in ${seconds.toFixed(1)} s, ${from}, memory ${before.toFixed(0)} to ${most.toFixed(0)} MiB`,
    )
    report.judge(`rows of the ${format} file`, rows === exported, thousands(rows), thousands(exported))
    report.atMost(`export of ${thousands(exported)} payments as ${format}`, seconds, MOST_S, {
      as: figure => `${figure.toFixed(1)} s`,
      from,
    })
    report.atMost(`memory of the server for the ${format} file, more than before`, most - before, MOST_MIB, {
      as: figure => `${figure.toFixed(0)} MiB`,
    })
  }
}

type Wanted = { readonly days: number; readonly format?: 'csv' | 'ndjson' }

const download = async (
  { url, merchant, rss }: Pick<StreamShop, 'url' | 'merchant' | 'rss'>,
  bearer: string,
  { days, format = 'csv' }: Wanted,
) => {
  let most = 0
  const sampling = setInterval(() => {
    most = Math.max(most, rss())
  }, SAMPLE_MS)
  const dayAt = (more: number) => new Date(Date.now() + more * 86_400_000).toISOString().slice(0, 10)
  const range = new URLSearchParams({ from: dayAt(1 - days), to: dayAt(1) })
  const began = performance.now()
  try {
    const response = await fetch(`${url}/v1/merchants/${merchant}/exports/payments.${format}?${range}`, {
      headers: { authorization: `Bearer ${bearer}`, 'accept-encoding': 'identity' },
    })
    if (!response.ok || !response.body) throw new Error(`an export was answered ${response.status}`)
    let [lines, bytes] = [0, 0]
    for await (const piece of response.body) {
      bytes += piece.byteLength
      for (const byte of piece) if (byte === LINE_FEED) lines++
    }
    const rows = format === 'csv' ? lines - 1 : lines
    return { rows, bytes, seconds: (performance.now() - began) / 1_000, most }
  } finally {
    clearInterval(sampling)
  }
}

const LINE_FEED = 10

/** Copies of the payment that was made, with a transfer each, over 398 days. */
export const fillPayments = async ({ sql }: { readonly sql: Sql }, count: number): Promise<void> => {
  await sql.unsafe('alter table transfers disable trigger all')
  await sql.unsafe(`
    insert into payments overriding user value
    select copy.* from (select t from payments t where state = 'success' limit 1) t(row)
    cross join generate_series(1, ${count}) n
    cross join lateral jsonb_populate_record((t).row, jsonb_build_object(
      'id', md5('payment ' || n)::uuid, 'address', '0x' || encode(substr(sha256(n::text::bytea), 1, 20), 'hex'),
      'payer_address', '0x' || encode(substr(sha256(('from ' || n)::bytea), 1, 20), 'hex'),
      'tx_hash', '0x' || encode(sha256(('tx ' || n)::bytea), 'hex'),
      'customer_email', 'customer' || n || '@example.com', 'customer_name', 'Customer, No. ' || n,
      'created_at', now() - (${count} - n)::float8 / ${count} * interval '397 days')) copy
    order by n`)
  await sql.unsafe(`
    insert into transfers (chain_id, tx_hash, log_index, block_number, block_hash, mined_at, payment_id, token_address,
      from_address, to_address, amount, state, agreed)
    select chain_id, tx_hash, 0, 1000 + row_number() over (), '0x' || encode(sha256(id::text::bytea), 'hex'), created_at, id,
      token_address, payer_address, address, amount_received, 'final', true
    from payments where customer_name is not null and tx_hash is not null`)
}
