import type { Kind } from '../actors/kind.ts'
import type { Sql } from '../postgres/connect.ts'
import { auditActors } from './actors.ts'
import { auditChains } from './chains.ts'
import { auditEvents } from './events.ts'
import { auditPayments } from './payments.ts'
import { auditRefundClaims } from './refund-claims.ts'
import { auditRefundSigners } from './refund-signers.ts'
import { auditRefundTransactions } from './refund-transactions.ts'
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

/** One question to the database that has no answers as long as the promise is kept. */
export type Check = {
  readonly invariant: string
  readonly what: string
  /** Rows of one column, the id of whatever breaks the promise. */
  readonly breaches: (sql: Sql) => Promise<readonly { readonly id: string }[]>
}

/** Asks every question; an empty answer is a clean house. */
export const audit = async (sql: Sql, kinds: readonly Kind[]): Promise<Finding[]> => {
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
  ]
  const findings: Finding[] = []
  // One after the other: an audit of a running house must not take its connections.
  for (const { invariant, what, breaches } of checks) {
    const rows = await breaches(sql)
    const [first] = rows
    if (first) findings.push({ invariant, what, count: rows.length, example: first.id })
  }
  return findings
}
