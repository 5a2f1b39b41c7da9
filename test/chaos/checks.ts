import { audit } from '../../src/audit/audit.ts'
import { decodeId, encodeId } from '../../src/ids.ts'
import { kinds } from '../../src/kinds/all.ts'
import { countStates } from '../../src/queries/ops/machines.ts'
import { until } from '../harness/until.ts'
import { dollarsOf } from '../sandbox/opened.ts'
import type { Caller } from './caller.ts'
import { differFromChain, finalTooEarly } from './ledger.ts'
import type { Scene } from './scene.ts'
import { customerAddress, type Story } from './shop.ts'

/** How long everything may take to finish: a webhook that failed twice is sent again after a minute. */
const REST_MS = 150_000

/** Checks the result when all faults have ended. Each line is a broken promise. */
export const findBroken = async (scene: Scene, caller: Caller, stories: readonly Story[]): Promise<string[]> => {
  const broken = [...caller.faults]
  const wait = async (what: string, leftOver: () => Promise<readonly string[]>) => {
    let left: readonly string[] = []
    const over = async () => {
      left = await leftOver()
      return left.length === 0
    }
    await until(over, { timeoutMs: REST_MS, everyMs: 500 }).catch(error =>
      broken.push(`${what}: ${left.length > 0 ? left.slice(0, 5) : error}`),
    )
  }
  const paymentsIn = (scenarios: readonly Story['scenario'][], ...states: readonly string[]) =>
    paymentsElsewhere(scene, stories, scenarios, states)
  // All at the same time, because each one may wait for long.
  await Promise.all([
    wait('paid, but not succeeded', () => paymentsIn(['paid', 'overpaid'], 'success')),
    wait('not canceled', () => paymentsIn(['cancel'], 'canceled')),
    wait('reverted, but not failed', () => paymentsIn(['reverted'], 'failed')),
    // Without reorged payments: where their process was killed in between, the money stayed.
    wait('too little paid, but succeeded', () => paymentsIn(['underpaid', 'wrong_asset'], 'pending', 'processing')),
    wait('refunds that are not processed', () => refundsNotProcessed(scene, stories)),
    // Not read from the deliveries: those of the latest events may not exist yet.
    wait('the merchant', async () => [...(await eventsNotReceived(scene)), ...outcomesNotReceived(scene, stories)]),
    wait('not delivered', async () =>
      (await scene.sql<{ id: string }[]>`select id from deliveries where state <> 'delivered'`).map(({ id }) => id),
    ),
    wait('refunded', () => refundsOnChain(scene)),
    wait('the ledger differs from the chain', () => differFromChain(scene)),
    wait('the counts of states', () => countsDiffer(scene)),
    wait('the audit', async () =>
      (await audit(scene.sql, kinds)).map(({ invariant, what, count, example }) =>
        [invariant, what, count, example].join(' '),
      ),
    ),
  ])
  broken.push(...(await notDoneOnce(scene, stories)), ...(await finalTooEarly(scene)))
  return broken
}

/** The counts that operators see, against the rows of the actors. Both are of one moment only when nothing changes. */
export const countsDiffer = async ({ sql }: Pick<Scene, 'sql'>): Promise<readonly string[]> => {
  const counted = (await countStates(sql, kinds)).filter(({ actors }) => actors !== 0)
  const rows = await Promise.all(
    kinds.map(
      ({ name, table }) => sql<{ kind: string; state: string; actors: number }[]>`
        select ${name}::text as kind, state, count(*)::float8 as actors from ${sql(table)} group by state`,
    ),
  )
  const lines = (counts: readonly { readonly kind: string; readonly state: string; readonly actors: number }[]) =>
    counts.map(({ kind, state, actors }) => `${kind} ${state}: ${actors}`)
  const [shown, real] = [new Set(lines(counted)), new Set(lines(rows.flat()))]
  return [
    ...[...shown.difference(real)].map(line => `shown ${line}`),
    ...[...real.difference(shown)].map(line => `in the table ${line}`),
  ]
}

const paymentsElsewhere = async (
  { sql }: Scene,
  stories: readonly Story[],
  scenarios: readonly Story['scenario'][],
  states: readonly string[],
): Promise<readonly string[]> => {
  const ids = stories.flatMap(({ scenario, acknowledged, payment }) =>
    acknowledged && scenarios.includes(scenario) ? [decodeId('pay', payment ?? '') ?? ''] : [],
  )
  const rows = await sql<{ id: string; state: string }[]>`
    select id, state from payments where id = any(${ids}::uuid[]) and state <> all(${[...states]}::text[])`
  const [known] = await sql<{ count: number }[]>`
    select count(*)::integer as count from payments where id = any(${ids}::uuid[])`
  const missing = known?.count === ids.length ? [] : [`${ids.length - (known?.count ?? 0)} are missing`]
  return [...missing, ...rows.map(({ id, state }) => `${encodeId('pay', id)} is ${state}`)]
}

const refundsNotProcessed = async ({ sql }: Scene, stories: readonly Story[]): Promise<readonly string[]> => {
  const ids = stories.flatMap(({ claimed, refund }) => (claimed ? [decodeId('re', refund ?? '') ?? ''] : []))
  const rows = await sql<{ id: string; state: string }[]>`
    select id, state from refunds where id = any(${ids}::uuid[]) and state <> 'processed'`
  return rows.map(({ id, state }) => `${encodeId('re', id)} is ${state}`)
}

/** A request with a key, however often repeated, was done once; without a response, at most once. */
const notDoneOnce = async ({ sql }: Scene, stories: readonly Story[]): Promise<readonly string[]> => {
  const links = await sql<{ reference: string; count: number }[]>`
    select reference, count(*)::integer as count from payment_links group by reference`
  const refunds = await sql<{ payment: string; count: number }[]>`
    select payment_id as payment, count(*)::integer as count from refunds group by payment_id`
  const linksOf = new Map(links.map(({ reference, count }) => [reference, count]))
  const refundsOf = new Map(refunds.map(({ payment, count }) => [encodeId('pay', payment), count]))
  return stories.flatMap(({ reference, link, payment = '', refund }) => {
    const made = linksOf.get(reference) ?? 0
    const refunded = refundsOf.get(payment) ?? 0
    return [
      ...(made > 1 || (link && made === 0) ? [`${made} links of ${reference}`] : []),
      ...(refunded > 1 || (refund && refunded === 0) ? [`${refunded} refunds of ${payment}`] : []),
    ]
  })
}

/** The merchant's server received every event, and no event that does not exist. */
const eventsNotReceived = async ({ sql, merchant }: Scene): Promise<readonly string[]> => {
  const events = await sql<{ id: string }[]>`select id from events`
  const happened = new Set(events.map(({ id }) => id))
  const received = new Set(merchant.received.map(({ id }) => id))
  const undelivered = [...happened].filter(id => !received.has(id))
  const unknownIds = [...received].filter(id => !happened.has(id))
  return [
    ...(undelivered.length > 0 ? [`${undelivered.length} events were not received: ${undelivered[0]}`] : []),
    ...(unknownIds.length > 0 ? [`${unknownIds.length} received events do not exist: ${unknownIds[0]}`] : []),
  ]
}

/** The merchant's server received the outcome of every payment and refund. */
const outcomesNotReceived = ({ merchant }: Scene, stories: readonly Story[]): readonly string[] => {
  const received = new Set(merchant.received.map(({ type, data }) => `${type} ${data.object.id}`))
  const outcomes = stories.flatMap(({ scenario, acknowledged, payment, refund, claimed }) => [
    ...(acknowledged && (scenario === 'paid' || scenario === 'overpaid') ? [`payment.succeeded ${payment}`] : []),
    ...(acknowledged && scenario === 'cancel' ? [`payment.canceled ${payment}`] : []),
    ...(acknowledged && scenario === 'reverted' ? [`payment.failed ${payment}`] : []),
    ...(claimed ? [`refund.processed ${refund}`] : []),
  ])
  return outcomes.filter(end => !received.has(end)).map(end => `not received: ${end}`)
}

/** The address that gets the refunds holds exactly the amount of the ledger. */
const refundsOnChain = async ({ sql, chain }: Scene): Promise<readonly string[]> => {
  const [ledger] = await sql<{ amount: number }[]>`
    select coalesce(sum(amount), 0)::float8 as amount from refunds where state = 'processed'`
  const amount = await dollarsOf(chain.url, customerAddress)
  return amount === ledger?.amount ? [] : [`refunds of ${ledger?.amount} in the ledger, and of ${amount} on the chain`]
}
