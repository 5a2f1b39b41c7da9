import type { Kind } from '../actors/kind.ts'
import type { Keyring } from '../keyring.ts'
import type { Sql } from '../postgres/connect.ts'
import { onlyRow } from '../postgres/errors.ts'
import type { Fragment } from '../queries/places.ts'
import { auditActors } from './actors.ts'
import { auditChains } from './chains.ts'
import { auditEvents } from './events.ts'
import { auditPayments } from './payments.ts'
import { auditRefundClaims } from './refund-claims.ts'
import { auditRefundSigners } from './refund-signers.ts'
import { auditRefundTransactions } from './refund-transactions.ts'
import { rulesOf } from './rules/rules.ts'
import { auditSending } from './sending.ts'
import { auditWebhooks } from './webhooks.ts'
import { auditWork } from './work.ts'

/** A promise of the service that was found broken, and where. */
export type Finding = {
  /** The invariant, as the audit names it. */
  readonly invariant: string
  readonly what: string
  /** How often; the first of them is named. */
  readonly count: number
  readonly example: string
}

/** A question to the database that has no answers as long as the promise is kept. */
export type Check = {
  readonly invariant: string
  readonly what: string
} & (
  | {
      /** Rows of one column, the `id` of what breaks the promise. */
      readonly breaches: (sql: Sql) => Fragment
    }
  | {
      /** The same where the database alone cannot tell. */
      readonly find: (sql: Sql) => AsyncIterable<string>
    }
)

export type AuditOptions = {
  /** Opens what is stored sealed. Without it the rules that need the content of that are left out. */
  readonly keyring?: Keyring | undefined
  /** After each question, with the time that it took. */
  readonly asked?: (check: Check, ms: number) => void
  /** Questions under way together, each on a connection of its own: one, unless the connections are the audit's. */
  readonly parallel?: number
}

/** Asks every question; an empty answer means that every invariant holds. */
export const audit = async (
  sql: Sql,
  kinds: readonly Kind[],
  { keyring, asked, parallel = 1 }: AuditOptions = {},
): Promise<Finding[]> => {
  const checks = [
    ...auditActors(kinds),
    ...auditEvents(kinds),
    ...auditWebhooks,
    ...auditSending,
    ...auditWork,
    ...auditPayments(kinds),
    ...auditRefundClaims(kinds),
    ...auditRefundTransactions(kinds),
    ...auditRefundSigners(kinds),
    ...auditChains(kinds),
    ...rulesOf(kinds, keyring),
  ]
  const findings = new Map<Check, Finding>()
  const waiting = checks.values()
  const ask = async (): Promise<void> => {
    for (const check of waiting) {
      const began = performance.now()
      const { count, example } = await countBreaches(sql, check)
      asked?.(check, performance.now() - began)
      if (count > 0) findings.set(check, { invariant: check.invariant, what: check.what, count, example })
    }
  }
  await Promise.all(Array.from({ length: parallel }, ask))
  return checks.flatMap(check => findings.get(check) ?? [])
}

/** Counts in the database: a breach may be in every row of a table. */
export const countBreaches = async (sql: Sql, check: Check): Promise<Pick<Finding, 'count' | 'example'>> => {
  if ('breaches' in check)
    return onlyRow(
      await sql<Pick<Finding, 'count' | 'example'>[]>`
        select count(*)::float8 as count, coalesce(min(id::text), '') as example from (${check.breaches(sql)}) as breach`,
    )
  let count = 0
  let example = ''
  for await (const id of check.find(sql)) if (count++ === 0) example = id
  return { count, example }
}
