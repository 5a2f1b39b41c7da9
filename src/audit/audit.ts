import type { Kind } from '../actors/kind.ts'
import type { Keyring } from '../keyring.ts'
import type { Sql } from '../postgres/connect.ts'
import { onlyRow } from '../postgres/errors.ts'
import { auditActors } from './actors.ts'
import { auditChains } from './chains.ts'
import { auditEvents } from './events.ts'
import { auditJobsAndTimers } from './jobs-and-timers.ts'
import { auditPayments } from './payments.ts'
import { auditRefundClaims } from './refund-claims.ts'
import { auditRefundSigners } from './refund-signers.ts'
import { auditRefundTransactions } from './refund-transactions.ts'
import type { Check, Finding } from './rules/check.ts'
import { rulesOf } from './rules/rules.ts'
import { auditSending } from './sending.ts'
import { auditWebhooks } from './webhooks.ts'

export type AuditOptions = {
  /** Decrypts stored secrets. Without it the rules that need them are skipped. */
  readonly keyring?: Keyring | undefined
  /** Called after each check, with its duration and result. */
  readonly onChecked?: (check: Check, ms: number, breaches: Breaches) => void
  /** Ends the audit with an error before its next check. */
  readonly signal?: AbortSignal
  /** Checks that run in parallel, each on its own connection. The default of one leaves connections for other uses. */
  readonly parallel?: number
}

/** Runs every check. An empty result means that every invariant holds. */
export const audit = async (
  sql: Sql,
  kinds: readonly Kind[],
  { keyring, onChecked, signal, parallel = 1 }: AuditOptions = {},
): Promise<Finding[]> => {
  const checks = [
    ...auditActors(kinds),
    ...auditEvents(kinds),
    ...auditWebhooks,
    ...auditSending,
    ...auditJobsAndTimers,
    ...auditPayments(kinds),
    ...auditRefundClaims(kinds),
    ...auditRefundTransactions(kinds),
    ...auditRefundSigners(kinds),
    ...auditChains(kinds),
    ...rulesOf(kinds, keyring),
  ]
  const findings = new Map<Check, Finding>()
  const waiting = checks.values()
  const runChecks = async (): Promise<void> => {
    for (const check of waiting) {
      signal?.throwIfAborted()
      const began = performance.now()
      const breaches = await countBreaches(sql, check)
      const { count, example } = breaches
      onChecked?.(check, performance.now() - began, breaches)
      if (count > 0) findings.set(check, { invariant: check.invariant, what: check.what, count, example })
    }
  }
  await Promise.all(Array.from({ length: parallel }, runChecks))
  return checks.flatMap(check => findings.get(check) ?? [])
}

type Breaches = Pick<Finding, 'count' | 'example'>

/** Counts in the database: every row of a table may be a breach. */
export const countBreaches = async (sql: Sql, check: Check): Promise<Breaches> => {
  if ('breaches' in check)
    return onlyRow(
      await sql<Breaches[]>`
        select count(*)::float8 as count, coalesce(min(id::text), '') as example from (${check.breaches(sql)}) as breach`,
    )
  let count = 0
  let example = ''
  for await (const id of check.find(sql)) if (count++ === 0) example = id
  return { count, example }
}
