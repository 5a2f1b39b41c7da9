import { randomUUID } from 'node:crypto'
import { openActors } from '../../src/actors/actors.ts'
import { databaseClock } from '../../src/clock.ts'
import { adjustCredit } from '../../src/commands/customer-credit.ts'
import { createCustomer } from '../../src/commands/customers.ts'
import type { InvoiceServices } from '../../src/commands/finalizations.ts'
import { createSubscription } from '../../src/commands/subscriptions.ts'
import { encodeId } from '../../src/ids.ts'
import { openKeyring } from '../../src/keyring.ts'
import { kinds } from '../../src/kinds/all.ts'
import { openLog } from '../../src/log.ts'
import type { Sql } from '../../src/postgres/connect.ts'
import { findShownCustomer } from '../../src/queries/customers.ts'
import { runSubscriptions } from '../../src/server/subscription-loop.ts'
import { aLamp } from '../http/invoices.ts'
import { customerOpening } from '../machines/customer-cases.ts'
import { SECRET_KEY } from './webhooks-instance.ts'

export type Subscribers = {
  /** How many of each merchant. */
  readonly counts: ReadonlyMap<string, number>
  /** When the first period of all of them begins. */
  readonly beginsAt: Date
}

/**
 * Subscriptions whose trials end at one instant, each with a customer of its own. Every other customer has credit for the first
 * period. One of each sort is created by the commands of the API, and its rows are copied with other IDs.
 */
export const insertSubscribers = async (sql: Sql, { counts, beginsAt }: Subscribers): Promise<void> => {
  const services = await openBilling(sql, markedRandom)
  const made: { readonly actors: readonly string[]; readonly copies: number }[] = []
  for (const [merchantId, count] of counts)
    for (const credit of [PRICE, 0]) {
      const actors = await makeSubscriber(services, {
        ...{
          merchantId,
          email: `${MARK}@lamps-${credit}.example`,
          credit,
          creditId: randomUUID().slice(0, -12) + MARK,
        },
        ...{ trialEndsAt: beginsAt, leadDays: 0 },
      })
      made.push({ actors, copies: count / 2 - 1 })
    }
  // The trials are short, so their ends are announced immediately.
  await runSubscriptions(services).runOnce()
  for (const { actors, copies } of made) await copySubscriber(sql, actors, copies)
}

/** What the commands of billing need. */
export const openBilling = async (
  sql: Sql,
  random: InvoiceServices['random'] = bytes => crypto.getRandomValues(bytes),
): Promise<InvoiceServices> => {
  const outside = { sql, clock: databaseClock(), random, log: openLog('silent') }
  return { ...outside, actors: await openActors(outside, kinds), keyring: openKeyring(SECRET_KEY) }
}

/** A merchant that can issue invoices. */
export const insertMerchant = async (sql: Sql): Promise<string> => {
  const merchantId = randomUUID()
  await sql`insert into merchants (id, name) values (${merchantId}, 'A shop')`
  await sql`insert into billing_settings (merchant_id, legal_name) values (${merchantId}, 'Lamps Ltd')`
  return merchantId
}

const CURRENCY = 'EUR'
/** Of a month. */
export const PRICE = 4900

type Subscriber = {
  readonly merchantId: string
  readonly email: string
  readonly credit: number
  readonly creditId?: string
  readonly trialEndsAt?: Date
  readonly leadDays?: number
  readonly testClockId?: string | null
}

const requester = { cause: 'bench', responseRows: () => [] }

/** A customer with a monthly subscription, and maybe credit. Returns the IDs of both. */
export const makeSubscriber = async (
  services: InvoiceServices,
  { merchantId, email, credit, creditId = randomUUID(), trialEndsAt, leadDays, testClockId = null }: Subscriber,
): Promise<readonly [customer: string, subscription: string]> => {
  const owner = { merchantId, livemode: false }
  const { id: customerId } = await createCustomer(
    services,
    { ...customerOpening, ...owner, email, testClockId, reference: null },
    requester,
  )
  const shown = credit > 0 && (await findShownCustomer(services.sql, { ...owner, id: customerId }))
  const adjustment = { id: creditId, currency: CURRENCY, amountMinor: credit, note: 'Prepaid' }
  if (shown) await adjustCredit(services, shown, adjustment, requester)
  const { id } = await createSubscription(
    services,
    {
      ...{ owner, customer: { id: customerId } },
      terms: {
        ...{ currency: CURRENCY, lines: [{ ...aLamp, quantity: '1', unitAmountMinor: PRICE }], taxBehavior: undefined },
        ...{ interval: 'month', intervalCount: 1, trialDays: 0, leadDays, graceDays: undefined, maxPeriods: null },
        ...{ activation: 'on_payment', afterGrace: 'cancel', assets: null },
      },
      ...{ anchorAt: undefined, trialDays: undefined, trialEndsAt, reference: null, metadata: {} },
    },
    requester,
  )
  return [customerId, id]
}

/** The last digits of all IDs of the rows that are copied: seven that mark them, and five for the number of the copy. */
const MARK = 'b33f5ee00000'

const markedRandom = (bytes: Uint8Array): Uint8Array => {
  crypto.getRandomValues(bytes)
  bytes.set(Buffer.from(MARK, 'hex'), bytes.length - 6)
  return bytes
}

/** Each with the column of its actor, and the order of the rows of one actor. */
const TABLES = [
  ['customers', 'id', 'seq'],
  ['customer_emails', 'customer_id', 'email_key'],
  ['credit_entries', 'customer_id', 'seq'],
  ['subscriptions', 'id', 'seq'],
  ['transitions', 'actor', 'rev'],
  ['events', 'actor', 'seq'],
  ['timers', 'actor', 'name'],
] as const

const DIGESTS: Readonly<Record<string, string>> = {
  transitions: `transition_digest(r.actor, r.rev, r.kind, r.command, r.event, r.from_state, r.to_state, r.cause, r.context, r.at,
    r.merchant_id, r.livemode, r.actor_created_at)`,
  events: `event_digest(r.id, r.actor, r.rev, r.type, r.merchant_id, r.livemode, r.api_version, r.object, r.created_at)`,
}

/** Unique values. The addresses of the pages of copies cannot be decrypted; the benches open none. */
const UNIQUE: Readonly<Record<string, string>> = { token_hash: `encode(sha256(r.id::text::bytea), 'hex')` }

/** One transaction, because an event and its transition have the same one. */
const copySubscriber = async (sql: Sql, actors: readonly string[], copies: number): Promise<void> => {
  const statements = await Promise.all(
    TABLES.map(([table, key, order]) => copyOf(sql, { table, key, order, actors, copies })),
  )
  await sql.unsafe(statements.join(';\n'))
}

type Copied = {
  readonly table: string
  readonly key: string
  readonly order: string
  readonly actors: readonly string[]
  readonly copies: number
}

const copyOf = async (sql: Sql, { table, key, order, actors, copies }: Copied): Promise<string> => {
  const [row] = await sql<{ columns: string[] }[]>`
    select array_agg(quote_ident(attname) order by attnum) as columns from pg_attribute
    where attrelid = ${table}::text::regclass and attnum > 0 and attidentity = '' and attname not in ('xid', 'digest')`
  const columns = row?.columns ?? []
  const digest = DIGESTS[table]
  // In the IDs of the API the last 20 bits are four characters.
  const mark = encodeId('cus', `00000000-0000-0000-0000-${MARK}`).slice(-9)
  const digit = (shift: number) => `substr('0123456789abcdefghjkmnpqrstvwxyz', ((n >> ${shift}) & 31) + 1, 1)`
  // The event of a trial that ends soon may be made by a server that runs already.
  const text =
    table === 'events'
      ? `replace(row_to_json(t)::text, t.id::text, left(t.id::text, 24) || '${MARK}')`
      : 'row_to_json(t)::text'
  return `
    insert into ${table} (${[...columns, ...(digest ? ['digest'] : [])].join(', ')})
    select ${[...columns.map(column => UNIQUE[column] ?? `r.${column}`), ...(digest ? [digest] : [])].join(', ')}
    from (select ${text} as text, row_number() over (order by ${order}) as place from ${table} t
      where ${key} in (${actors.map(id => `'${id}'`).join(', ')})) original
    cross join generate_series(1, ${copies}) n
    cross join lateral (select '${MARK.slice(0, -5)}' || lpad(to_hex(n), 5, '0') as plain,
      '${mark.slice(0, -4)}' || ${[15, 10, 5, 0].map(digit).join(' || ')} as encoded offset 0) id
    cross join lateral json_populate_record(null::${table},
      replace(replace(original.text, '${MARK}', id.plain), '${mark}', id.encoded)::json) r
    order by n, place`
}
