import type { Check } from './check.ts'

export const cursorBlock: Check = {
  invariant: 'I4',
  what: 'a chain whose cursor is not at the highest of its blocks',
  breaches: sql => sql`
    select c.chain_id as id
    from chain_cursors c
    where not exists (
        select from chain_blocks b where b.chain_id = c.chain_id and b.number = c.number and b.hash = c.hash)
      or exists (select from chain_blocks b where b.chain_id = c.chain_id and b.number > c.number)`,
}
