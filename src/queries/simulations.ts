import type { Sql } from '../postgres/connect.ts'

/** A scenario that somebody acts, or waits to. */
export type Simulation = { readonly paymentId: string; readonly holder: string }

export type NewSimulation = Simulation & {
  /** Takes blocks back, and so must be alone. */
  readonly reorganizes: boolean
  readonly idempotencyKey: string | null
}

/** How long one lasts whose process says nothing more. */
const LASTING = '15 seconds'

/** Undefined when it has begun; otherwise another one has the payment, by a request with this key. */
export const beginSimulation = async (
  sql: Sql,
  { paymentId, holder, reorganizes, idempotencyKey }: NewSimulation,
): Promise<{ readonly byKey: string | null } | undefined> => {
  const [row] = await sql<{ taken: boolean; by_key: string | null }[]>`
    select * from begin_simulation(${paymentId}, ${holder}, ${reorganizes}, ${idempotencyKey}, ${LASTING})`
  return row?.taken === false ? undefined : { byKey: row?.by_key ?? null }
}

/** Keeps it, and answers whether it is its turn; `lost`: it was away for too long. */
export const awaitSimulation = async (
  sql: Sql,
  { paymentId, holder }: Simulation,
): Promise<'turn' | 'waits' | 'lost'> => {
  const [row] = await sql<{ turn: boolean | null }[]>`
    select await_simulation(${paymentId}, ${holder}, ${LASTING}) as turn`
  if (row?.turn === true) return 'turn'
  return row?.turn === false ? 'waits' : 'lost'
}

export const endSimulation = async (sql: Sql, { paymentId, holder }: Simulation): Promise<void> => {
  await sql`delete from simulations where payment_id = ${paymentId} and holder = ${holder}`
}

/** How far the books of a chain have got, and whether the payment knows all of it. */
export const findProgress = async (
  sql: Sql,
  chainId: number,
  paymentId: string,
): Promise<{ readonly number: number; readonly finalNumber: number; readonly told: boolean } | undefined> => {
  const [row] = await sql<{ number: string; final_number: string; told: boolean }[]>`
    select number, final_number, not exists (
      select from unsettled_payments u join payments p on p.id = u.payment_id
      where u.payment_id = ${paymentId} and u.told_rev is distinct from p.rev) as told
    from chain_cursors where chain_id = ${chainId}`
  return row && { number: Number(row.number), finalNumber: Number(row.final_number), told: row.told }
}
