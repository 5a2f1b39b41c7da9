import { expect } from 'bun:test'
import { openActors } from '../../src/actors/actors.ts'
import type { Services } from '../../src/actors/services.ts'
import { audit } from '../../src/audit/audit.ts'
import { manualClock } from '../../src/clock.ts'
import { kinds } from '../../src/kinds/all.ts'
import { openLog } from '../../src/log.ts'
import { connect, type Sql } from '../../src/postgres/connect.ts'
import { openSender, type SenderOptions } from '../../src/webhooks/sender.ts'
import { type Database, database } from '../harness/database.ts'
import { databaseProxy } from '../harness/proxy.ts'
import { until } from '../harness/until.ts'
import { paymentOpening } from '../machines/payment-cases.ts'
import { keyring, loopbackPoster } from './loopback.ts'

export const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

export type SendingInstance = AsyncDisposable & {
  readonly world: Services
  readonly clock: ReturnType<typeof manualClock>
  readonly url: string
  /** For queries of the test, separate from the instance's own connections. */
  readonly sql: Sql
  /** For the one merchant, in test mode. */
  addEndpoint(url: string, columns?: Readonly<Record<string, unknown>>): Promise<string>
  /** Its event goes to every endpoint. */
  openPayment(): Promise<void>
  /** Inserts events for one endpoint, without a wake-up. */
  insertEvents(endpointId: string, times?: number, object?: object): Promise<void>
  startSender(options?: Partial<SenderOptions>): ReturnType<typeof openSender>
  /** With `distant`: drops the next response of the database and its connection. */
  loseAnswer(): void
}

/** One attempt of a delivery, and its outcome. */
export type AttemptRow = {
  readonly number: number
  readonly trigger: string
  readonly outcome: string | null
  readonly http_status: number | null
}

export type InstanceOptions = Partial<Pick<Services, 'random' | 'log'>> & {
  readonly at?: Date
  /** It reaches its database over one connection, whose responses can be dropped. */
  readonly distant?: boolean
}

export type DeliveryRow = {
  readonly id: string
  readonly state: string
  readonly rev: number
  readonly attempts: number
  readonly automatic_attempts: number
  readonly trigger: string
  readonly next_attempt_at: Date | null
}

/**
 * An instance with one merchant, a clock that the test moves, and a poster that may call loopback. At the end it is
 * audited with the database's time, so claims must not be made with an earlier time.
 */
export const sendingInstance = async ({
  at = new Date(),
  distant = false,
  ...more
}: InstanceOptions = {}): Promise<SendingInstance> => {
  await using starting = new AsyncDisposableStack()
  const db: Database = starting.use(await database())
  const path = distant ? starting.use(await databaseProxy(db.url)) : undefined
  const options = { byKey: true, name: 'paymachine actors', ...(path && { max: 1 }) }
  const sql = starting.adopt(connect(path?.url ?? db.url, options), pool => pool.end({ timeout: 1 }))
  const clock = manualClock(at)
  const random = crypto.getRandomValues.bind(crypto)
  const outside = { sql, clock, random, log: openLog('silent'), ...more }
  const senders = new Set<ReturnType<typeof openSender>>()
  const wake = () => {
    for (const sender of senders) sender.wake()
  }
  const actors = await openActors(outside, kinds, { onPublished: wake })
  const world: Services = { ...outside, actors }
  const merchantId = crypto.randomUUID()
  await db.sql`insert into merchants (id, name) values (${merchantId}, 'Lamps')`
  starting.defer(async () => {
    for (const sender of senders) await sender.stop()
    await actors.idle()
    expect(await audit(db.sql, kinds)).toEqual([])
  })
  const rest = starting.move()
  return {
    world,
    clock,
    url: db.url,
    sql: db.sql,
    addEndpoint: async (url, columns = {}) => {
      const id = crypto.randomUUID()
      const row = {
        ...{ id, merchant_id: merchantId, livemode: false, url, state: 'enabled' },
        sealed_secret: keyring.seal('webhook secret', id, SECRET),
        ...{ enabled_at: clock.now(), created_at: clock.now(), updated_at: clock.now() },
        ...columns,
      }
      await db.sql`
        insert into webhook_endpoints ${db.sql({ ...row, event_types: '{payment.created}' })}`
      await db.sql`select renew_subscriptions(${id})`
      return id
    },
    openPayment: async () => {
      const create = { ...paymentOpening, windowMinutes: 30, merchantId }
      const outcome = await actors.dispatch({ kind: 'payment', actor: crypto.randomUUID(), create })
      expect(outcome.ok).toBe(true)
    },
    insertEvents: async (endpointId, times = 1, object = {}) => {
      await db.sql`
        insert into events (
          id, kind, actor, rev, type, merchant_id, livemode, api_version, object, created_at, era, digest)
        select id, kind, actor, rev, type, merchant_id, livemode, api_version, object, created_at, current_era(),
          event_digest(id, actor, rev, type, merchant_id, livemode, api_version, object, created_at)
        from (
          select gen_random_uuid() as id, 'webhook_endpoint' as kind, ${endpointId}::uuid as actor, 0 as rev,
            'webhook_endpoint.test' as type, ${merchantId}::uuid as merchant_id, false as livemode,
            '2026-11-20' as api_version, ${JSON.stringify(object)}::text as object,
            ${clock.now()}::timestamptz as created_at
          from generate_series(1, ${times}::integer) offset 0) e`
    },
    startSender: (options = {}) => {
      const sender = openSender(world, { keyring, poster: loopbackPoster(), ...options })
      senders.add(sender)
      return sender
    },
    loseAnswer: () => path?.cutInsteadOfAnswer(1),
    [Symbol.asyncDispose]: () => rest.disposeAsync(),
  }
}

export const deliveriesOf = ({ sql }: SendingInstance, endpointId: string): Promise<DeliveryRow[]> => sql<
  DeliveryRow[]
>`select id, state, rev, attempts, automatic_attempts, trigger, next_attempt_at
  from deliveries where endpoint_id = ${endpointId} order by seq`

export const attemptsOf = ({ sql }: SendingInstance, deliveryId: string): Promise<AttemptRow[]> =>
  sql<
    AttemptRow[]
  >`select number, trigger, outcome, http_status from delivery_attempts where delivery_id = ${deliveryId} order by number`

/** Waits until the only delivery of an endpoint has this state and number of attempts. */
export const reaches = (
  instance: SendingInstance,
  endpointId: string,
  state: string,
  attempts: number,
): Promise<DeliveryRow> =>
  until(
    async () => (await deliveriesOf(instance, endpointId)).find(d => d.state === state && d.attempts === attempts),
    {
      what: `a delivery that is ${state} after ${attempts} attempts`,
    },
  )
