import type { Kind } from '../../actors/kind.ts'
import { uncountedStates } from '../../kinds/definition.ts'
import type { Check } from './check.ts'

/** The sums that operators see, with the transitions that are not added yet, agree with the rows. */
export const machineSums = (kind: Kind): Check => ({
  invariant: 'I9',
  what: `a state of a ${kind.name} whose number of actors differs from the sums`,
  breaches: sql => sql`
    select coalesce(c.state, t.state) as id
    from (select state, actors from count_states() where kind = ${kind.name} and actors <> 0) c
    full join (select state, count(*) as actors from ${sql(kind.table)} group by state) t on t.state = c.state
    where c.actors is distinct from t.actors and coalesce(c.state, t.state) <> all(${[...uncountedStates(kind)]}::text[])`,
})
