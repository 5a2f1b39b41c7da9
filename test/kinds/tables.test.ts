import { afterAll, describe, expect, test } from 'bun:test'
import type { JSONValue } from 'postgres'
import { type Actor, type Kind, snakeCase } from '../../src/actors/kind.ts'
import { openRegistry } from '../../src/actors/registry.ts'
import type { ActorRow } from '../../src/actors/rows.ts'
import { kinds } from '../../src/kinds/all.ts'
import type { Sql } from '../../src/postgres/connect.ts'
import { database } from '../harness/database.ts'
import { actorIn, everyActor, subjects } from './subjects.ts'

const open = async () => {
  const db = await database()
  return { db, sql: db.sql, registry: await openRegistry(db.sql, kinds) }
}
// Opened while the tests are collected, since a hook has a shorter timeout than a test.
const opened = open()
afterAll(async () => (await opened).db[Symbol.asyncDispose]())

const rowOf = (sql: Sql, { columns, version }: Kind, actor: Actor): Record<string, unknown> => {
  const { id, state, rev, createdAt, updatedAt, context } = actor
  const row: Record<string, unknown> = { id, state, rev, version, created_at: createdAt, updated_at: updatedAt }
  for (const [field, type] of Object.entries(columns)) {
    const value = context[field]
    row[snakeCase(field)] = type === 'json' && value !== null ? sql.json(value as JSONValue) : value
  }
  return row
}

for (const { kind, subject } of subjects) {
  describe(kind.table, () => {
    test('stores and returns every state of the machine', async () => {
      const { sql, registry } = await opened
      const actors = everyActor(kind, subject).map((actor, index) => ({ ...actor, rev: index + 1 }))
      // The same columns and checks, without unique keys: all rows are the same record.
      const table = sql(`${kind.table}_of_all`)
      await sql`create table ${table} (like ${sql(kind.table)} including constraints including defaults including identity)`
      await sql`insert into ${table} ${sql(actors.map(actor => rowOf(sql, kind, actor)))}`
      const rows = await sql<ActorRow[]>`select * from ${table} order by rev`
      expect(rows.map(row => registry.get(kind.name).decode(row))).toEqual(actors)
    })

    test('refuses states that the machine never has', async () => {
      const { sql } = await opened
      const lines = linesOf(invalidRows, kind.table)
      for (const [situation = '', change = '', constraint = ''] of lines) {
        await sql`delete from ${sql(kind.table)}`
        await sql`insert into ${sql(kind.table)} ${sql(rowOf(sql, kind, actorIn(kind, subject, situation)))}`
        const violated = await violationOf(sql.unsafe(`update ${kind.table} set ${change}`))
        expect([situation, change, violated]).toEqual([situation, change, constraint])
      }
      const rules = await sql<{ conname: string }[]>`
        select conname from pg_constraint
        where conrelid = ${kind.table}::text::regclass and contype = 'c' order by conname`
      const tried = new Set(lines.map(([, , constraint]) => constraint))
      expect(rules.map(({ conname }) => conname).filter(name => !tried.has(name))).toEqual([])
    })

    test('refuses a second row where only one may exist', async () => {
      const { sql } = await opened
      const table = sql(kind.table)
      const lines = linesOf(duplicates, kind.table)
      for (const [situation = '', same = '', other = '', index = ''] of lines) {
        const actor = actorIn(kind, subject, situation)
        for (const [change, expected] of [
          [same, index],
          [other, 'nothing'],
        ]) {
          await sql`delete from ${table}`
          await sql`insert into ${table} ${sql(rowOf(sql, kind, { ...actor, id: TWIN }))}`
          await sql.unsafe(`update ${kind.table} set ${change}`)
          const violated = await violationOf(sql`insert into ${table} ${sql(rowOf(sql, kind, actor))}`)
          expect([situation, change, violated]).toEqual([situation, change, expected])
        }
      }
      const rules = await sql<{ name: string }[]>`
        select c.relname as name from pg_index i join pg_class c on c.oid = i.indexrelid
        where i.indrelid = ${kind.table}::text::regclass and i.indisunique and not i.indisprimary order by c.relname`
      const tried = new Set(lines.map(line => line.at(-1)))
      expect(rules.map(({ name }) => name).filter(name => !tried.has(name))).toEqual([])
    })
  })
}

test('every constraint that a kind maps to a refusal exists: a unique index, a check, or a trigger that raises it', async () => {
  const { sql } = await opened
  for (const name of kinds.flatMap(({ refusals }) => Object.keys(refusals ?? {}))) {
    const [found] = await sql`
      select exists (select from pg_index where indexrelid = to_regclass(${name}) and indisunique)
        or exists (select from pg_constraint where conname = ${name} and contype = 'c')
        or exists (
          select from pg_trigger t join pg_proc p on p.oid = t.tgfoid
          where p.prosrc like ${`%constraint = '${name}'%`}) as is_there`
    expect([name, found?.is_there]).toEqual([name, true])
  }
})

const TWIN = '0193a000-0000-7000-8000-0000000000ff'

const violationOf = (statement: Promise<unknown>): Promise<string> =>
  statement.then(
    () => 'nothing',
    error => error.constraint_name,
  )

/** The lines for a table, which end with the name of one of its constraints. */
const linesOf = (text: string, table: string): string[][] =>
  text
    .split('\n')
    .map(line => line.split(' | ').map(cell => cell.trim()))
    .filter(line => line.at(-1)?.startsWith(`${table}_`))

/**
 * A situation of the machine, a change of another such row that the constraint refuses, a change that it accepts, and
 * the unique index that tells them apart.
 */
const duplicates = `
  picked            | address = '0x' || upper(substr(address, 3))         | address = overlay(address placing 'c' from 3) | payments_address_once
  processing        | confirmations = 7                                   | chain_id = 1                                  | refunds_transaction_once
  processing        | state = 'processed'                                 | state = 'failed', failure_reason = 'reverted' | refunds_transaction_once
  processed         | payment_id = gen_random_uuid()                      | tx_hash = overlay(tx_hash placing 'c' from 3) | refunds_transaction_once
  new               | state = 'deactivated', deactivated_at = now()       | reference = 'another'                         | payment_links_reference_once
  new               | amount_minor = 1                                    | livemode = true                               | payment_links_reference_once
  new               | title = 'another'                                   | merchant_id = gen_random_uuid()               | payment_links_reference_once
  new               | state = 'under_review'                              | state = 'won'                                 | disputes_open_once
  submitted         | reason = 'general'                                  | payment_id = gen_random_uuid()                | disputes_open_once
  new               | merchant_id = gen_random_uuid()                     | event_id = gen_random_uuid()                  | deliveries_event_once
  new               | state = 'canceled', next_attempt_at = null          | endpoint_id = gen_random_uuid()               | deliveries_event_once
`

/** A situation of the machine, a change of its row, and the constraint that refuses it. */
const invalidRows = `
  new               | state = 'paid'                                      | payments_state
  new               | amount_minor = 0                                    | payments_amount
  new               | amount_minor = 9007199254740992                     | payments_amount
  new               | currency = 'usd'                                    | payments_currency
  new               | customer_email = repeat('a', 255)                   | payments_customer
  new               | customer_name = repeat('a', 201)                    | payments_customer
  new               | reference = repeat('a', 201)                        | payments_reference
  new               | tolerance_bps = 10000                               | payments_tolerance
  new               | late_policy = 'whatever'                            | payments_late_policy
  picked            | decimals = null                                     | payments_pick
  new               | token_address = '0x'                                | payments_pick
  picked ether      | quote_source = null                                 | payments_quote
  new               | quote_rate = '1', quote_source = 'x', quote_expires_at = now() | payments_quote
  picked            | amount_expected = 0                                 | payments_due
  picked            | address = 'bb'                                      | payments_address
  processing        | tx_hash = '0x7'                                     | payments_tx_hash
  new               | amount_received = 1                                 | payments_sums
  little            | amount_final = 401, received_minor = 401            | payments_sums
  picked            | amount_received = -1                                | payments_sums
  success           | received_minor = 999                                | payments_received
  little            | state = 'processing'                                | payments_enough
  new               | state = 'processing'                                | payments_enough
  processing        | state = 'pending'                                   | payments_enough
  expired           | state = 'success'                                   | payments_success
  new               | state = 'failed'                                    | payments_failure
  failed            | state = 'expired'                                   | payments_failure
  failed            | failure_reason = 'unlucky'                          | payments_failure_reason
  new               | stray = 'wrong_amount'                              | payments_stray
  new               | final_strays = 1                                     | payments_stray
  new               | exception = 'odd'                                   | payments_exception
  success           | refunds_reserved_minor = 1001                       | payments_refunds
  success           | amount_refunded_minor = 1                           | payments_refunds
  success           | refunds_reserved_minor = -1, amount_refunded_minor = -1 | payments_refunds
  part final        | refunds_reserved_minor = 1                          | payments_refunds_when_over

  named             | state = 'sent'                                      | refunds_state
  new               | amount_minor = 0                                    | refunds_amount
  new               | amount = -1                                         | refunds_amount
  new               | currency = 'dollar'                                 | refunds_currency
  new               | reason = 'because'                                  | refunds_reason
  new               | state = 'requires_signature'                        | refunds_destination
  named             | state = 'requires_destination'                      | refunds_destination
  named             | destination = 'home'                                | refunds_destination_form
  named             | state = 'processing'                                | refunds_transaction
  processing        | state = 'requires_signature'                        | refunds_transaction
  processing        | tx_hash = upper(tx_hash)                            | refunds_tx_hash
  processed         | stray_tx_hash = 'x'                                 | refunds_tx_hash
  new               | confirmations = -1                                  | refunds_confirmations
  processed         | state = 'failed'                                    | refunds_failure
  failed            | state = 'processed'                                 | refunds_failure
  failed            | failure_reason = 'unlucky'                          | refunds_failure_reason
  new               | attention = true                                    | refunds_stray

  new               | state = 'open'                                      | payment_links_state
  new               | amount_minor = 0                                    | payment_links_amount
  new               | currency = ''                                       | payment_links_currency
  new               | title = repeat('a', 201)                            | payment_links_texts
  new               | description = repeat('a', 1001)                     | payment_links_texts
  new               | reference = repeat('a', 201)                        | payment_links_texts
  new               | success_url = repeat('a', 2049)                     | payment_links_texts
  new               | window_minutes = 4                                  | payment_links_window
  new               | window_minutes = 10081                              | payment_links_window
  deactivated       | max_payments = 0                                    | payment_links_max_payments
  new               | payments_processing = -1                            | payment_links_counts
  new               | payments_count = 2                                  | payment_links_completed
  new               | state = 'completed'                                 | payment_links_completed
  completed         | max_payments = null                                 | payment_links_completed
  new               | state = 'deactivated'                               | payment_links_deactivated
  deactivated       | state = 'active'                                    | payment_links_deactivated
  expired           | expires_at = null                                   | payment_links_expired

  new               | state = 'open'                                      | disputes_state
  new               | livemode = true                                     | disputes_sandbox
  new               | amount_minor = 0                                    | disputes_amount
  new               | currency = ''                                       | disputes_currency
  new               | reason = 'because'                                  | disputes_reason
  new               | description = repeat('a', 1001)                     | disputes_description
  new               | refund_policy = repeat('a', 2001)                   | disputes_evidence
  new               | uncategorized_text = repeat(chr(1), 2000), refund_policy = repeat(chr(9), 2000), customer_communication = repeat('"', 2000) | disputes_evidence_fits
  new               | evidence_due_by = created_at                        | disputes_due

  canceled          | state = 'sent'                                      | deliveries_state
  new               | trigger = 'whim'                                    | deliveries_trigger
  fifth             | attempts = 6, automatic_attempts = 6                | deliveries_five_attempts
  second            | attempts = 1                                        | deliveries_five_attempts
  new               | next_attempt_at = null                              | deliveries_planned
  delivered         | next_attempt_at = now()                             | deliveries_planned
  sending           | sending_since = null                                | deliveries_sending
  waiting           | sending_since = now()                               | deliveries_sending
  waiting           | cancel_requested = true                             | deliveries_cancel
  waiting           | resume_at = now()                                   | deliveries_resume
  canceled          | resume_at = now(), trigger = 'manual'               | deliveries_resume
  delivered         | delivered_at = null                                 | deliveries_attempted
  failed            | delivered_at = now()                                | deliveries_attempted
  failed            | attempts = 0, automatic_attempts = 0                | deliveries_attempted
`
