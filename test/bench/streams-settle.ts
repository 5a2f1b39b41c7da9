import { until } from '../harness/until.ts'
import { type Comparison, compareWithHistory, type History, isAfter } from './streams-compare.ts'
import type { StreamReader } from './streams-reader.ts'
import type { StreamShop } from './streams-shop.ts'

/** The position of the last commit. */
export const positionOf = async ({ sql }: Pick<StreamShop, 'sql'>): Promise<string> => {
  const [row] = await sql<{ position: string }[]>`
    select concat_ws('.', era, xid, seq) as position from transitions order by era desc, xid desc, seq desc limit 1`
  return row?.position ?? '0.0.0'
}

/** Waits until no delivery is left to be sent, after the changes have ended. */
export const allDelivered = ({ sql }: Pick<StreamShop, 'sql'>): Promise<true> =>
  until(async () => (await sql`select from deliveries where state in ('pending', 'sending') limit 1`).length === 0, {
    timeoutMs: 120_000,
    everyMs: 100,
    what: 'all deliveries',
  })

/** Waits until the client has received what was committed, and compares. */
export const settle = async (
  shop: StreamShop,
  reader: StreamReader,
  { after, history }: { readonly after: string; readonly history: History },
): Promise<Comparison> => {
  const { sql, merchantId } = shop
  const end = await positionOf(shop)
  await until(async () => isAfter((await reader.counts()).lastId, end), {
    timeoutMs: 120_000,
    everyMs: 100,
    what: 'the last message',
  })
  return compareWithHistory(sql, { merchantId, after, end }, { file: reader.file, history })
}
