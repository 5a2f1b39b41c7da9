import { encodeId } from '../../src/ids.ts'
import type { ApiServer } from '../harness/api.ts'
import { makeDispute } from '../http/disputes.ts'
import { makeLink } from '../http/links.ts'
import { makePayment } from '../http/payments.ts'
import type { Shop } from '../http/people.ts'
import { customerAddress, makeRefund } from '../http/refunds.ts'
import { makeEndpoint, sendTest } from '../http/webhooks.ts'

export const HOT_PAYER = `0x${'e'.repeat(40)}`
export const RARE = `0x${'a'.repeat(40)}`
export const TX = `0x${'7'.repeat(64)}`

/** What many records have in common. All ids but `objectId` are UUIDs. */
export type ManyRecords = {
  readonly owner: { readonly merchantId: string; readonly livemode: false }
  /** A half of the payments is on the busy link. */
  readonly links: { readonly busy: string; readonly quiet: string }
  /** A payment with a few refunds and disputes. */
  readonly object: string
  readonly objectId: string
  readonly endpoints: readonly string[]
  readonly eventId: string
}

/** `rare`: of each kind, how many there are of what is rare. */
export type ManySizes = { readonly rows: number; readonly rare: number }

/** Gives a shop this many records of each kind. */
export const makeManyRecords = async (server: ApiServer, here: Shop, sizes: ManySizes): Promise<ManyRecords> => {
  const owner = { merchantId: here.merchantId, livemode: false } as const
  const links = {
    busy: (await makeLink(server.api, owner)).link.id,
    quiet: (await makeLink(server.api, owner)).link.id,
  }
  return fill(server, here, { owner, links, ...sizes })
}

type Filling = Pick<ManyRecords, 'owner' | 'links'> & ManySizes

/** Each row is a copy of one that a machine has made, with a time, a customer and a link of its own. */
const fill = async (server: ApiServer, here: Shop, { owner, links, rows, rare }: Filling): Promise<ManyRecords> => {
  const { sql } = server
  const nth = Math.floor(rows / rare)
  const made = []
  for (const state of ['success', 'new', 'expired', 'canceled', 'failed', 'late']) {
    const { actor } = await makePayment(server.api, owner, state)
    made.push(actor)
  }
  const refund = await makeRefund(server.api, owner, customerAddress)
  await makeDispute(server.api, here, { submit: false })
  const dispute = await makeDispute(server.api, here, { submit: true })
  const [object = ''] = made
  const endpoints = [(await makeEndpoint(server.api, here)).row.id, (await makeEndpoint(server.api, here)).row.id]
  const delivery = await sendTest(server.api, here, { id: endpoints[0] ?? '' })
  const eventId = crypto.randomUUID()
  // What tables do with each other's rows is of no interest here.
  await sql.unsafe('alter table events disable trigger all; alter table transfers disable trigger all')
  const copies = (table: string, template: string, changes: string) =>
    sql.unsafe(`
      insert into ${table} overriding user value
      select copy.* from generate_series(1, ${rows}) n
      cross join lateral (select t from ${table} t where ${template}) t(row)
      cross join lateral jsonb_populate_record((t).row, jsonb_build_object(
        'id', gen_random_uuid(), 'created_at', now() - (${rows} - n) * interval '1 minute', ${changes})) copy
      order by n`)
  // Few are failed or need attention; one payer and one link have a lot of them.
  await copies(
    'payments',
    `id = (case when n % ${nth} = 0 then '${made[4]}' when n % ${nth} = 1 then '${made[5]}' when n % 7 = 0 then '${made[1]}'
      when n % 5 = 0 then '${made[2]}' when n % 11 = 0 then '${made[3]}' else '${made[0]}' end)::uuid`,
    `'id', md5('payment ' || n)::uuid, 'address', case when (t).row.address is not null then '0x' || lpad(to_hex(n), 40, '0') end,
     'payment_link_id', case when n % 2 = 0 then '${links.busy}' when n % ${nth} = 1 then '${links.quiet}' else gen_random_uuid()::text end,
     'customer_email', case when n % ${nth} = 3 then 'Ada' || n || '@example.com' else 'customer' || n || '@example.com' end,
     'reference', case when n % 2 = 0 then 'busy' else 'order ' || n end,
     'payer_address', case when n % 3 = 0 then '${HOT_PAYER}' when n % ${nth} = 7 then '${RARE}' else '0x' || lpad(to_hex(n), 40, 'f') end`,
  )
  await copies(
    'payment_links',
    `id = '${links.quiet}'`,
    // Half of them belong to invoices.
    `'reference', case when n % 2 = 1 then 'link ' || n end, 'hidden', n % 2 = 0,
     'state', case when n % ${nth} = 1 then 'deactivated' else 'active' end,
     'deactivated_at', case when n % ${nth} = 1 then now() end`,
  )
  await copies(
    'refunds',
    `id = '${uuidOf(refund)}'`,
    `'state', case when n % ${nth} = 0 then 'requires_signature' when n % 2 = 0 then 'canceled' else 'processed' end,
     'tx_hash', case when n % 2 = 1 then '0x' || lpad(to_hex(n), 64, '0') end,
     'destination', case when n % ${nth} = 1 then '${RARE}' else '0x' || lpad(to_hex(n), 40, 'b') end,
     'payment_id', case when n % ${nth} = 3 then '${object}' else md5('payment ' || n) end`,
  )
  await copies(
    'disputes',
    `id = '${uuidOf(dispute)}'`,
    `'state', case when n % ${nth} = 0 then 'under_review' else 'won' end,
     'payment_id', case when n % ${nth} = 3 then '${object}' else md5('payment ' || n) end,
     'evidence_due_by', now() + interval '1 year'`,
  )
  await copies(
    'events',
    `id = (select id from events where actor = '${object}' order by seq desc limit 1)`,
    `'actor', gen_random_uuid(), 'type', case when n % ${nth} = 0 then 'payment.late' else 'payment.succeeded' end`,
  )
  await sql`
    insert into transfers (chain_id, tx_hash, log_index, block_number, block_hash, mined_at, payment_id, to_address, amount, state)
    select 31337, case when n % ${nth} = 1 then ${TX} else '0x' || lpad(to_hex(n), 64, '0') end, n, n, '0x' || lpad(to_hex(n), 64, 'c'),
      now(), id, ${RARE}, 1, 'final'
    from (select id, row_number() over (order by seq) as n from payments limit ${rows}) p`
  await copies(
    'deliveries',
    `id = '${delivery}'`,
    `'event_id', case when n = 7 then '${eventId}' else gen_random_uuid()::text end,
     'event_type', case when n % ${nth} = 0 then 'refund.failed' else 'payment.succeeded' end,
     'endpoint_id', case when n % 2 = 0 then '${endpoints[0]}' else '${endpoints[1]}' end,
     'state', case when n % ${nth} = 2 then 'failed' when n % ${nth} = 1 then 'pending' else 'delivered' end,
     'attempts', 1, 'automatic_attempts', 1,
     'next_attempt_at', case when n % ${nth} = 1 then now() end,
     'delivered_at', case when n % ${nth} not in (1, 2) then now() end`,
  )
  await sql.unsafe('analyze deliveries, payments, payment_links, refunds, disputes, events, transfers')
  return { owner, links, object, objectId: encodeId('pay', object), endpoints, eventId }
}

const uuidOf = (id: string): string => {
  const digits = '0123456789abcdefghjkmnpqrstvwxyz'
  const value = [...(id.split('_')[1] ?? '')].reduce((sum, digit) => sum * 32n + BigInt(digits.indexOf(digit)), 0n)
  return value
    .toString(16)
    .padStart(32, '0')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
