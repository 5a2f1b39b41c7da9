import { registered } from '../actors/kind.ts'
import { deliveryKind } from '../kinds/delivery.ts'
import type { Sql } from '../postgres/connect.ts'
import { auditHistory } from './actors.ts'
import { countBreaches } from './audit.ts'
import type { Finding, Part, PartCheck } from './rules/check.ts'
import { rowHistory } from './rules/row-history.ts'
import { transitionDigest } from './rules/transition-digest.ts'
import { auditAttempts } from './sending.ts'
import { auditFanOut } from './webhooks.ts'

const kind = registered(deliveryKind)

const checks: readonly PartCheck[] = [
  ...auditFanOut,
  ...auditAttempts,
  ...auditHistory([kind]),
  rowHistory(kind),
  transitionDigest,
]

/** Checks what can be checked of these deliveries for the last time. */
export const auditDeliveries = async (sql: Sql, part: Part): Promise<Finding[]> => {
  const findings: Finding[] = []
  for (const { invariant, what, breaches } of part.length > 0 ? checks : []) {
    const found = await countBreaches(sql, { invariant, what, breaches: of => breaches(of, part) })
    if (found.count > 0) findings.push({ invariant, what, ...found })
  }
  return findings
}
