import type { Sql } from '../postgres/connect.ts'

/** A scenario that a process runs or is waiting to run. */
export type Simulation = { readonly paymentId: string; readonly holder: string }

export type NewSimulation = Simulation & {
  /** It reorganizes the chain, so it must not run in parallel with others. */
  readonly reorganizes: boolean
  readonly idempotencyKey: string | null
}

/** The scenario that already runs for the payment, with the time of its last heartbeat. */
export type OtherSimulation = Simulation & {
  readonly touchedAt: string
  /** The idempotency key of its request. */
  readonly byKey: string | null
}

/** Returns undefined if the scenario has begun, otherwise the other one. */
export const beginSimulation = async (
  sql: Sql,
  { paymentId, holder, reorganizes, idempotencyKey }: NewSimulation,
): Promise<OtherSimulation | undefined> => {
  const [row] = await sql<[OtherSimulation]>`
    select payment_id as "paymentId", holder, touched_at::text as "touchedAt", idempotency_key as "byKey"
    from begin_simulation(${paymentId}, ${holder}, ${reorganizes}, ${idempotencyKey})`
  return row.holder === holder ? undefined : row
}

/**
 * The state of another scenario. `goes_on`: it had another heartbeat. `ended`: it has ended normally. `dead`: its
 * process has ended. `silent`: none of these is known yet.
 */
export const checkSimulation = async (
  sql: Sql,
  { paymentId, holder, touchedAt }: OtherSimulation,
): Promise<'goes_on' | 'ended' | 'dead' | 'silent'> => {
  const [row] = await sql<{ touched: string; acted: boolean }[]>`
    select touched_at::text as touched, is_acted(s) as acted
    from simulations s where payment_id = ${paymentId} and holder = ${holder}`
  if (!row) return 'ended'
  if (!row.acted) return 'dead'
  return row.touched === touchedAt ? 'silent' : 'goes_on'
}

/** Sends a heartbeat and returns whether the scenario may run now. `lost`: it had no heartbeat for too long. */
export const awaitSimulation = async (
  sql: Sql,
  { paymentId, holder }: Simulation,
): Promise<'turn' | 'waits' | 'lost'> => {
  const [row] = await sql<{ turn: boolean | null }[]>`
    select await_simulation(${paymentId}, ${holder}) as turn`
  if (row?.turn === true) return 'turn'
  return row?.turn === false ? 'waits' : 'lost'
}

export const endSimulation = async (sql: Sql, { paymentId, holder }: Simulation): Promise<void> => {
  await sql`delete from simulations where payment_id = ${paymentId} and holder = ${holder}`
}

/** How far a chain has been read, and whether all of it has been applied to the payment. */
export const findProgress = async (
  sql: Sql,
  chainId: number,
  paymentId: string,
): Promise<{ readonly number: number; readonly finalNumber: number; readonly isApplied: boolean } | undefined> => {
  const [row] = await sql<{ number: string; final_number: string; is_applied: boolean }[]>`
    select number, final_number, not exists (
      select from unsettled_payments u join payments p on p.id = u.payment_id
      where u.payment_id = ${paymentId} and u.reported_rev is distinct from p.rev) as is_applied
    from chain_cursors where chain_id = ${chainId}`
  return row && { number: Number(row.number), finalNumber: Number(row.final_number), isApplied: row.is_applied }
}
