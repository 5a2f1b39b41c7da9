import type { Kind } from '../actors/kind.ts'
import type { Check } from './audit.ts'

/** What is promised of single kinds; asked only where the kind is there. */
export const auditPayments = (kinds: readonly Kind[]): Check[] =>
  perKind.filter(({ kind }) => kinds.some(({ name }) => name === kind))

const perKind: (Check & { kind: string })[] = [
  {
    kind: 'payment',
    invariant: 'I2',
    what: 'a payment that has left success',
    breaches: sql => sql<{ id: string }[]>`
      select actor as id from transitions where kind = 'payment' and from_state = 'success' and to_state <> 'success'`,
  },
]
