import type { Kind } from '../../actors/kind.ts'
import type { Check } from './check.ts'

export const eventMerchant = ({ name, table, columns, publish }: Kind): Check[] =>
  publish && 'merchantId' in columns && 'livemode' in columns
    ? [
        {
          invariant: 'I8',
          what: `a row of ${table} with another merchant or mode than its events`,
          breaches: sql => sql`
            select t.id
            from events e join ${sql(table)} t on t.id = e.actor
            where e.kind = ${name} and (e.merchant_id, e.livemode) <> (t.merchant_id, t.livemode)`,
        },
      ]
    : []
