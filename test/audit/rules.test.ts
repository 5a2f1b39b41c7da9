import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Hex } from 'viem'
import { encodeFunctionData } from 'viem/utils'
import { audit } from '../../src/audit/audit.ts'
import { compareChains } from '../../src/audit/chain/compare.ts'
import type { Finding } from '../../src/audit/rules/check.ts'
import { requireAddress } from '../../src/chain/address.ts'
import { factory, factoryAbi, saltOf } from '../../src/chain/forwarder.ts'
import { toQuantity } from '../../src/chain/rpc/hex.ts'
import { recoverySecretOf } from '../../src/commands/deposits.ts'
import { openKeyring } from '../../src/keyring.ts'
import { kinds } from '../../src/kinds/all.ts'
import { erasedFields } from '../../src/kinds/erased-fields.ts'
import type { Sql } from '../../src/postgres/connect.ts'
import { payer } from '../../src/sandbox/contracts.ts'
import { callNode } from '../../src/sandbox/node-client.ts'
import { awaitMined } from '../../src/sandbox/simulate/payer.ts'
import { SECRET_KEY } from '../harness/api.ts'
import { until } from '../harness/until.ts'
import { makeInvoice } from '../http/invoices.ts'
import { type SimulationServer, simulationServer } from '../http/simulations.ts'
import { newKey } from '../http/two-shops.ts'
import { findingsAfter as findingsAfterChange } from './planted.ts'

let instance: SimulationServer
afterAll(() => instance?.[Symbol.asyncDispose]())

/** A payment in tokens with a refund, two payments of which one is collected, and one that waits for its customer. */
beforeAll(async () => {
  instance = await simulationServer()
  const [paid, inEther, collected] = [
    await instance.open('TUSD'),
    await instance.open('ETH'),
    await instance.open('TUSD'),
  ]
  for (const id of [paid, inEther, collected]) {
    await instance.simulate(id, 'paid')
    await instance.becomes(id, { state: 'success' })
  }
  await instance.open('TUSD')
  const { status } = await instance.server.call('POST', `/v1/payments/${paid}/refunds`, {
    bearer: instance.key,
    headers: newKey(),
    json: { amountMinor: 300, destination: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed' },
  })
  expect(status).toBe(201)
  const { sql } = instance.server
  await until(async () => (await sql`select from customer_totals where payments_count > 0`).length > 0)
  await sql`
    insert into credit_entries (customer_id, currency, id, merchant_id, livemode, type, amount_minor, created_at)
    select id, 'EUR', new_uuidv7(), merchant_id, livemode, 'adjustment', amount, now()
    from (select * from customers limit 1) c cross join unnest(array[500, -200]) as amount`
  const [owner] = await sql<{ customerId: string; merchantId: string; livemode: boolean }[]>`
    select id as "customerId", merchant_id as "merchantId", livemode from customers limit 1`
  if (!owner) throw new Error('there is no customer')
  // 3.00 of the first are paid from the credit.
  for (let n = 0; n < 3; n++)
    await makeInvoice(instance.server.api, owner, { customerId: owner.customerId, finalize: true })
  await makeInvoice(instance.server.api, owner, { customerId: owner.customerId })
  await sql`
    insert into credit_entries (customer_id, currency, id, merchant_id, livemode, type, amount_minor, created_at)
    values (${owner.customerId}, 'EUR', new_uuidv7(), ${owner.merchantId}, ${owner.livemode}, 'adjustment', 50, now())`
  await sweep(sql, (await instance.look(collected)).address ?? '')
  await until(async () => (await sql`select from refunds where state = 'processed'`).length === 1)
  await until(async () => (await sql`select from unsettled_payments where reported_rev is null`).length === 0)
}, 120_000)

const keyring = openKeyring(SECRET_KEY)

/** Collects everything at an address, and waits until that is final. */
const sweep = async (sql: Sql, address: string) => {
  const [deposit] = await sql<{ treasury: Hex; counter: string; merchant_id: string }[]>`
    select treasury, counter, merchant_id from deposit_addresses where address = ${address.toLowerCase()}`
  if (!deposit) throw new Error('the address was not given out')
  const secret = await recoverySecretOf({ sql, random: instance.server.api.random }, keyring, deposit.merchant_id)
  const salts = [saltOf(secret, Number(deposit.counter))]
  const { token } = instance.sandbox.contracts
  const args = [deposit.treasury, salts, [requireAddress(token)]] as const
  const data = encodeFunctionData({ abi: factoryAbi, functionName: 'collect', args })
  const { url } = instance.sandbox
  const hash = await callNode(url, 'eth_sendTransaction', {
    from: payer,
    to: factory,
    data,
    gas: toQuantity(1_000_000),
  })
  const block = await awaitMined(url, [String(hash)])
  await callNode(url, 'anvil_mine', toQuantity(10))
  await until(async () => (await sql`select from chain_cursors where final_number >= ${block}`).length > 0)
}

const findingsAfter = (change: string, look: (sql: Sql) => Promise<readonly Finding[]>) =>
  findingsAfterChange(instance.server.databaseUrl, change, look)

const byAudit = (sql: Sql) => audit(sql, kinds, { keyring })
const byChain = async (sql: Sql) => {
  const { findings, notCompared } = await compareChains(sql, instance.server.api.chains)
  expect(notCompared).toEqual([])
  return findings
}

test('an unchanged service has no findings, also compared with its chain', async () => {
  expect(await findingsAfter('select 1', byAudit)).toEqual([])
  expect(await findingsAfter('select 1', byChain)).toEqual([])
})

const HASH = `'0x999' || substr(tx_hash, 6)`
const ADDRESS = `'0x' || repeat('9', 40)`

/** Erases all customers except in one place. */
const eraseExcept = (forgotten?: string): string => {
  const email = 'cus_1@erased.invalid'
  const copy = (column: string) => `erased_copy(${column}, '${JSON.stringify(erasedFields(email))}')`
  const statements = {
    customers: `
      update customers set state = 'erased', erased_at = now(), email = '${email}', name = null, company = null,
        tax_id = null, address = null, locale = null, reference = null, metadata = '{}'`,
    payments: `update payments set customer_email = '${email}', customer_name = null`,
    invoices: 'update invoices set customer_erased = true',
    customer_emails: 'delete from customer_emails',
    events: `update events set object = ${copy('json_of(object)')}::text`,
    idempotency_keys: `update idempotency_keys set body = ${copy('body::json')}::text`,
  }
  return Object.entries(statements)
    .flatMap(([place, statement]) => (place === forgotten ? [] : [statement]))
    .join(';')
}

test('customers that were erased everywhere have no personal data', async () => {
  const found = await findingsAfter(eraseExcept(), byAudit)
  expect(found.filter(({ what }) => what === 'personal data of an erased customer')).toEqual([])
})

// One violation for each rule of src/audit/rules, and for each kind that was missed before.
test.each([
  [
    'I9: an entry of a history that was changed',
    `update transitions set context = jsonb_set(json_of(context)::jsonb, '{amountMinor}', '1')::text where kind = 'payment' and rev = 2`,
  ],
  [
    'I8: an event that was changed',
    `update events set object = jsonb_set(json_of(object)::jsonb, '{customerEmail}', '"eve@example.com"')::text`,
  ],
  ['I9: an entry of a history that was changed', 'delete from json_layouts'],
  ['I8: an event that was changed', 'delete from json_layouts'],
  [
    'I9: a row of payments that differs from the last entry of its history',
    `update payments set expires_at = expires_at + interval '100 years' where state = 'pending'`,
  ],
  ['I9: a row of refunds that differs from the last entry of its history', `update refunds set tx_hash = ${HASH}`],
  [
    'I9: a row of refunds that differs from the last entry of its history',
    `update refunds set destination = ${ADDRESS}`,
  ],
  ['I8: a row of payments with another merchant', 'update payments set merchant_id = gen_random_uuid()'],
  ['I9: a payment with another merchant', 'update payments set merchant_id = gen_random_uuid()'],
  ['I4: a refund with another merchant', 'update refunds set livemode = true'],
  [
    'I4: a payment with an address that was not issued',
    `update payments set address = ${ADDRESS} where state = 'pending'`,
  ],
  ['I4: a payment with an address that was not issued', 'delete from deposit_addresses'],
  ['I4: a deposit address that was not derived', `update deposit_addresses set treasury = ${ADDRESS}`],
  [
    'I4: a payment with a transaction that is not one',
    `update transfers set tx_hash = ${HASH} where token_address is not null`,
  ],
  [
    'I4: a chain whose cursor is not at the highest',
    'update chain_cursors set number = number + 5, final_number = final_number + 5',
  ],
  [
    'I9: a state of a payment whose number of actors differs',
    `insert into machine_states values ('payment', 'pending', 1) on conflict (kind, state) do update set actors = machine_states.actors + 1`,
  ],
  [
    'I4: a customer whose totals differ from its payments',
    'update customer_totals set volume_minor = volume_minor + 1',
  ],
  [
    'I4: a customer whose totals differ from its payments',
    'update customer_totals set refunded_minor = refunded_minor + 1',
  ],
  [
    'I4: a customer whose totals differ from its payments',
    "update payments set customer_id = gen_random_uuid() where state = 'success'",
  ],
  ...[
    // One cent in each of the rows that hold it.
    "update payment_sums set volume_minor = volume_minor + 1 where span = 'quarter' and breakdown = 'all'",
    "update payment_sums set volume_minor = volume_minor + 1 where span = 'quarter' and breakdown = 'asset'",
    "update payment_sums set volume_minor = volume_minor + 1 where span = 'quarter' and breakdown = 'link'",
    "update payment_sums set volume_minor = volume_minor + 1 where span = 'day' and breakdown = 'asset'",
    "update payment_sums set volume_minor = volume_minor + 1 where span = 'day' and breakdown = 'link'",
    // In all of them alike.
    'update payment_sums set volume_minor = volume_minor + 1',
    'update payment_sums set refunded_minor = refunded_minor + 1',
    'update payment_sums set converted = converted + 1',
    'update payment_sums set opened = opened + 1',
    'delete from payment_sums',
  ].map(corruption => ['I9: a merchant whose sums of payments differ', corruption] as const),
  ['I4: a customer whose credit balance differs', 'update credit_balances set balance_minor = balance_minor + 1'],
  ['I4: a customer whose credit balance differs', 'delete from credit_balances'],
  [
    'I4: a customer whose credit balance differs',
    'alter table credit_entries disable trigger user; update credit_entries set amount_minor = amount_minor + 1',
  ],
  ['I4: a series of document numbers with a gap', 'update invoices set sequence = 9 where sequence = 3'],
  ['I4: a series of document numbers with a gap', 'delete from invoices where sequence = 2'],
  ['I4: a series of document numbers with a gap', 'update document_series set last_number = last_number + 1'],
  [
    'I4: a series of document numbers with a gap',
    'update invoices set issued_at = now() + interval $$1 day$$ where sequence = 1',
  ],
  ['I4: a series of document numbers with a gap', 'delete from document_series'],
  [
    'I4: a document that breaks the chain of document hashes',
    `update invoices set lines = jsonb_set(lines, '{0,description}', '"Another lamp"') where sequence = 2`,
  ],
  [
    'I4: a document that breaks the chain of document hashes',
    `update invoices set customer = jsonb_set(customer, '{name}', '"Eve"') where sequence = 3`,
  ],
  [
    'I4: a document that breaks the chain of document hashes',
    `update invoices set document_hash = repeat('0', 64), customer = null, party_salt = null, customer_erased = true
     where sequence = 1`,
  ],
  [
    'I4: a document that breaks the chain of document hashes',
    `update invoices set party_hash = repeat('0', 64) where sequence = 2`,
  ],
  [
    'I4: a document that breaks the chain of document hashes',
    `update document_series set last_document_hash = repeat('0', 64)`,
  ],
  [
    'I4: an invoice whose amounts differ',
    'update invoices set tax_minor = tax_minor + 1, total_minor = total_minor + 1 where sequence = 2',
  ],
  ['I4: an invoice whose amounts differ', 'update invoices set amount_paid_minor = 1 where sequence = 2'],
  ['I4: an invoice whose amounts differ', 'update invoices set credit_applied_minor = 100 where sequence = 1'],
  ['I4: an invoice whose amounts differ', 'update invoices set amount_overpaid_minor = 1 where sequence = 3'],
  ['I9: personal data of an erased customer', eraseExcept('payments')],
  ['I9: personal data of an erased customer', eraseExcept('customer_emails')],
  ['I9: personal data of an erased customer', eraseExcept('events')],
  ['I9: personal data of an erased customer', eraseExcept('invoices')],
  [
    'I9: personal data of an erased customer',
    `${eraseExcept()}; update invoices set retained_until = now() - interval '3 days' where sequence = 1`,
  ],
  [
    'I9: personal data of an erased customer',
    `${eraseExcept()}; insert into invoice_documents (invoice_id, pdf) select id, 'x' from invoices where sequence = 1;
     update invoices set customer = null, party_salt = null where sequence = 1`,
  ],
  [
    'I9: personal data of an erased customer',
    `${eraseExcept()}; update idempotency_keys set record_id = (select id from invoices where sequence = 1),
     body = '{"object":"invoice","customer":{"name":"Ada"}}'`,
  ],
  [
    'I9: personal data of an erased customer',
    `${eraseExcept()}; update idempotency_keys set record_id = (select id from payments limit 1), body = '{"customerName":"Ada"}'`,
  ],
  ['I3: a refund whose idempotency key is missing', 'delete from idempotency_keys'],
  ['I3: a refund whose idempotency key is missing', 'update idempotency_keys set record_id = gen_random_uuid()'],
])('%s … is found', async (what, change) => {
  const found = await findingsAfter(change, byAudit)
  expect(found.filter(finding => `${finding.invariant}: ${finding.what}`.startsWith(what))).toHaveLength(1)
})

test.each([
  [
    'a final transfer that is not in its transaction',
    `with t as (update transfers set amount = amount - 1 where token_address is not null returning *)
     insert into transfers
     select chain_id, ${HASH}, 7, block_number, block_hash, mined_at, payment_id, token_address, from_address, to_address, 1,
       state, agreed
     from t`,
  ],
  [
    'a final transfer that is not in its transaction',
    'update transfers set amount = amount + 1 where token_address is null',
  ],
  [
    'a final transfer that is not in its transaction',
    'update transfers set amount = amount + 1 where token_address is not null',
  ],
  [
    'a processed refund that its transaction has not paid',
    `update refunds r set tx_hash = p.tx_hash from payments p where p.id = r.payment_id`,
  ],
  ['an address whose balance differs from its transfers', 'delete from transfers where token_address is not null'],
  ['an address whose balance differs from its transfers', 'delete from transfers where token_address is null'],
  [
    'an address whose balance differs from its transfers',
    `delete from transfers where payment_id = (select max(payment_id::text)::uuid from transfers where token_address is not null)`,
  ],
])('by its chain: %s … is found', async (what, change) => {
  const found = await findingsAfter(change, byChain)
  expect(found.filter(finding => finding.what.startsWith(what))).toHaveLength(1)
})
