import { audit } from '../../src/audit/audit.ts'
import { decodeId, encodeId } from '../../src/ids.ts'
import { kinds } from '../../src/kinds/all.ts'
import { until } from '../harness/until.ts'
import { dollarsOf } from '../sandbox/opened.ts'
import type { Caller } from './caller.ts'
import { differFromChain, finalTooEarly } from './ledger.ts'
import type { Scene } from './scene.ts'
import { type Story, somebody } from './shop.ts'

/** How long everything may take to come to rest: a webhook that failed twice is sent again after a minute. */
const REST_MS = 150_000

/** What became of it all, once nothing goes wrong any more. Each line is a promise that was not kept. */
export const findBroken = async (scene: Scene, caller: Caller, stories: readonly Story[]): Promise<string[]> => {
  const broken = [...caller.faults]
  const wait = async (what: string, leftOver: () => Promise<readonly string[]>) => {
    let left: readonly string[] = []
    const over = async () => {
      left = await leftOver()
      return left.length === 0
    }
    await until(over, { timeoutMs: REST_MS, everyMs: 500 }).catch(() => broken.push(`${what}: ${left.slice(0, 5)}`))
  }
  const paymentsIn = (scenarios: readonly Story['scenario'][], ...states: readonly string[]) =>
    paymentsElsewhere(scene, stories, scenarios, states)
  // All at once: what is not kept is waited for long.
  await Promise.all([
    wait('paid and no success', () => paymentsIn(['paid', 'overpaid'], 'success')),
    wait('canceled, and it is not', () => paymentsIn(['cancel'], 'canceled')),
    wait('reverted, and it has not failed', () => paymentsIn(['reverted'], 'failed')),
    // Not of what was to be reorganised: where its process was killed in between, the money has stayed.
    wait('too little, and it is a success', () => paymentsIn(['underpaid', 'wrong_asset'], 'pending', 'processing')),
    wait('refunds that are not processed', () => refundsElsewhere(scene, stories)),
    // Not what deliveries say of themselves: there are none yet of what has just happened.
    wait('the merchant', async () => [...(await toldAndNot(scene)), ...endsUnheard(scene, stories)]),
    wait('not delivered', async () =>
      (await scene.sql<{ id: string }[]>`select id from deliveries where state <> 'delivered'`).map(({ id }) => id),
    ),
    wait('paid back', () => paidOutElsewhere(scene)),
    wait('recorded otherwise than on the chain', () => differFromChain(scene)),
    wait('the audit', async () =>
      (await audit(scene.sql, kinds)).map(({ invariant, what, count, example }) =>
        [invariant, what, count, example].join(' '),
      ),
    ),
  ])
  broken.push(...(await notOnce(scene, stories)), ...(await finalTooEarly(scene)))
  return broken
}

const paymentsElsewhere = async (
  { sql }: Scene,
  stories: readonly Story[],
  scenarios: readonly Story['scenario'][],
  states: readonly string[],
): Promise<readonly string[]> => {
  const ids = stories.flatMap(({ scenario, told, payment }) =>
    told && scenarios.includes(scenario) ? [decodeId('pay', payment ?? '') ?? ''] : [],
  )
  const rows = await sql<{ id: string; state: string }[]>`
    select id, state from payments where id = any(${ids}::uuid[]) and state <> all(${[...states]}::text[])`
  const [known] = await sql<{ count: number }[]>`
    select count(*)::integer as count from payments where id = any(${ids}::uuid[])`
  const missing = known?.count === ids.length ? [] : [`${ids.length - (known?.count ?? 0)} are gone`]
  return [...missing, ...rows.map(({ id, state }) => `${encodeId('pay', id)} is ${state}`)]
}

const refundsElsewhere = async ({ sql }: Scene, stories: readonly Story[]): Promise<readonly string[]> => {
  const ids = stories.flatMap(({ claimed, refund }) => (claimed ? [decodeId('re', refund ?? '') ?? ''] : []))
  const rows = await sql<{ id: string; state: string }[]>`
    select id, state from refunds where id = any(${ids}::uuid[]) and state <> 'processed'`
  return rows.map(({ id, state }) => `${encodeId('re', id)} is ${state}`)
}

/** What was asked for with one key, however often, is there once; without an answer, at most once. */
const notOnce = async ({ sql }: Scene, stories: readonly Story[]): Promise<readonly string[]> => {
  const links = await sql<{ reference: string; count: number }[]>`
    select reference, count(*)::integer as count from payment_links group by reference`
  const refunds = await sql<{ payment: string; count: number }[]>`
    select payment_id as payment, count(*)::integer as count from refunds group by payment_id`
  const linksOf = new Map(links.map(({ reference, count }) => [reference, count]))
  const refundsOf = new Map(refunds.map(({ payment, count }) => [encodeId('pay', payment), count]))
  return stories.flatMap(({ reference, link, payment = '', refund }) => {
    const made = linksOf.get(reference) ?? 0
    const given = refundsOf.get(payment) ?? 0
    return [
      ...(made > 1 || (link && made === 0) ? [`${made} links of ${reference}`] : []),
      ...(given > 1 || (refund && given === 0) ? [`${given} refunds of ${payment}`] : []),
    ]
  })
}

/** The merchant's server has heard of all that happened, and of nothing that did not. */
const toldAndNot = async ({ sql, merchant }: Scene): Promise<readonly string[]> => {
  const events = await sql<{ id: string }[]>`select id from events`
  const happened = new Set(events.map(({ id }) => id))
  const heard = new Set(merchant.heard.map(({ id }) => id))
  const unheard = [...happened].filter(id => !heard.has(id))
  const madeUp = [...heard].filter(id => !happened.has(id))
  return [
    ...(unheard.length > 0 ? [`of ${unheard.length} events nobody was told: ${unheard[0]}`] : []),
    ...(madeUp.length > 0 ? [`${madeUp.length} that were told never happened: ${madeUp[0]}`] : []),
  ]
}

/** What became of a payment or a refund, the merchant was told of. */
const endsUnheard = ({ merchant }: Scene, stories: readonly Story[]): readonly string[] => {
  const heard = new Set(merchant.heard.map(({ type, data }) => `${type} ${data.object.id}`))
  const ends = stories.flatMap(({ scenario, told, payment, refund, claimed }) => [
    ...(told && (scenario === 'paid' || scenario === 'overpaid') ? [`payment.succeeded ${payment}`] : []),
    ...(told && scenario === 'cancel' ? [`payment.canceled ${payment}`] : []),
    ...(told && scenario === 'reverted' ? [`payment.failed ${payment}`] : []),
    ...(claimed ? [`refund.processed ${refund}`] : []),
  ])
  return ends.filter(end => !heard.has(end)).map(end => `nobody was told: ${end}`)
}

/** Who gets the refunds has on the chain what the books say, no more and no less. */
const paidOutElsewhere = async ({ sql, chain }: Scene): Promise<readonly string[]> => {
  const [books] = await sql<{ amount: number }[]>`
    select coalesce(sum(amount), 0)::float8 as amount from refunds where state = 'processed'`
  const amount = await dollarsOf(chain.url, somebody)
  return amount === books?.amount ? [] : [`refunds of ${books?.amount} in the books, and of ${amount} on the chain`]
}
