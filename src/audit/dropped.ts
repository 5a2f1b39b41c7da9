import { type Kind, registered } from '../actors/kind.ts'
import { deliveryKind } from '../kinds/delivery.ts'
import { paymentKind } from '../kinds/payment.ts'
import { paymentLinkKind } from '../kinds/payment-link.ts'
import type { Sql } from '../postgres/connect.ts'
import type { RetainedPart } from '../queries/retention.ts'
import { auditHistory } from './actors.ts'
import { countBreaches } from './audit.ts'
import type { Finding, Part, PartCheck } from './rules/check.ts'
import { rowHistory } from './rules/row-history.ts'
import { transitionDigest } from './rules/transition-digest.ts'
import { auditAttempts } from './sending.ts'
import { auditFanOut } from './webhooks.ts'

const ofHistory = (kinds: readonly Kind[]): readonly PartCheck[] => [
  ...auditHistory(kinds),
  ...kinds.map(rowHistory),
  transitionDigest,
]

const ofDeliveries = [...auditFanOut, ...auditAttempts, ...ofHistory([registered(deliveryKind)])]

const checksOf: Readonly<Record<RetainedPart, readonly PartCheck[]>> = {
  attempt_bodies: ofDeliveries,
  deliveries: ofDeliveries,
  history: ofHistory([registered(paymentKind), registered(paymentLinkKind)]),
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
