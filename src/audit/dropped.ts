import type { Kind } from '../actors/kind.ts'
import { kindNamed, kinds } from '../kinds/all.ts'
import type { Sql } from '../postgres/connect.ts'
import type { RetainedPart } from '../queries/retention.ts'
import { auditHistory } from './actors.ts'
import { countBreaches } from './audit.ts'
import { eventsOfTransitions } from './events.ts'
import { paymentHistory } from './payments.ts'
import { refundDestinations } from './refund-claims.ts'
import { refundSignatures } from './refund-signers.ts'
import { refundOutcomes } from './refund-transactions.ts'
import type { Finding, Part, PartCheck } from './rules/check.ts'
import { refundKey } from './rules/refund-key.ts'
import { rowHistory } from './rules/row-history.ts'
import { periodBoundaries } from './rules/subscriptions.ts'
import { transitionDigest } from './rules/transition-digest.ts'
import { auditAttempts } from './sending.ts'
import { auditFanOut } from './webhooks.ts'

const ofHistory = (kinds: readonly Kind[]): readonly PartCheck[] => [
  ...auditHistory(kinds),
  ...kinds.map(rowHistory),
  transitionDigest,
]

const delivery = kindNamed('delivery')

const ofDeliveries = [...auditFanOut, ...auditAttempts, ...ofHistory([delivery])]

const checksOf: Readonly<Record<RetainedPart, readonly PartCheck[]>> = {
  attempt_bodies: ofDeliveries,
  deliveries: ofDeliveries,
  history: [
    ...ofHistory(kinds.filter(kind => kind !== delivery)),
    ...eventsOfTransitions(kinds),
    ...paymentHistory,
    ...refundOutcomes,
    ...refundDestinations,
    ...refundSignatures,
    refundKey,
    periodBoundaries,
  ],
}

/** Checks what can be checked of these actors for the last time before something of them is dropped. */
export const auditPart = async (sql: Sql, dropped: RetainedPart, actors: Part): Promise<Finding[]> => {
  const findings: Finding[] = []
  for (const { invariant, what, breaches } of actors.length > 0 ? checksOf[dropped] : []) {
    const found = await countBreaches(sql, { invariant, what, breaches: of => breaches(of, actors) })
    if (found.count > 0) findings.push({ invariant, what, ...found })
  }
  return findings
}
