import { expect, test } from 'bun:test'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { uuidv7 } from '../../src/ids.ts'
import { faultyNode } from '../harness/faulty-node.ts'
import { BASE, signerDesk } from './signer-desk.ts'

const release = `signer release --merchant MER --chain ${BASE}`

/** A signer in a database that was restored after it was added. */
const held = async () => {
  const desk = await signerDesk({ mining: 'none' })
  const key = generatePrivateKey()
  const account = privateKeyToAccount(key)
  await desk.node.call('anvil_setBalance', account.address, '0xde0b6b3a7640000')
  expect((await desk.run(`signer add --merchant MER --chain ${BASE} --limits USD:1:2`, key)).code).toBe(0)
  await desk.db.sql`update eras set cluster = 'another', postmaster_started = '2020-01-01'`
  return {
    ...{ ...desk, key },
    address: account.address.toLowerCase(),
    /** Sends a transaction that the database does not know; it is not mined yet. */
    sendUnknown: async (nonce: number) => {
      const fees = { maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 10n ** 10n, type: 'eip1559' } as const
      const sent = { chainId: Number(BASE), nonce, to: account.address, gas: 21_000n, value: 0n, ...fees } as const
      await desk.node.call('eth_sendRawTransaction', await account.signTransaction(sent))
    },
    /** Makes all mined blocks final for the database. */
    finalize: async () => {
      const { number, hash } = await desk.node.mine()
      await desk.db.sql`
        insert into chain_blocks (chain_id, number, hash, mined_at) values (${BASE}, ${number}, ${hash}, now())`
      await desk.db.sql`
        insert into chain_cursors (chain_id, number, hash, mined_at, final_number, step)
        values (${BASE}, ${number}, ${hash}, now(), ${number}, 1)`
    },
    isHeld: async () => (await desk.run('signer list')).output.includes(', on hold'),
  }
}

test('after a restore every signer is on hold until an operator releases it', async () => {
  await using desk = await held()
  expect(await desk.isHeld()).toBe(true)
  const released = await desk.run(release)
  expect(released).toMatchObject({ code: 0, output: `${desk.address} signs refunds again, starting with nonce 0` })
  expect(await desk.isHeld()).toBe(false)
  expect(await desk.run(release)).toMatchObject({ code: 1, errors: expect.stringContaining('is not on hold') })
  const [last] = await desk.db.sql`select action, details from security_events order by seq desc limit 1`
  expect(last).toMatchObject({ action: 'refund_signer.released', details: { address: desk.address, firstNonce: 0 } })
})

test('a change of its limits does not release a signer', async () => {
  await using desk = await held()
  const changed = await desk.run(`signer add --merchant MER --chain ${BASE} --limits USD:3:4`, desk.key)
  expect(changed).toMatchObject({ code: 0, output: expect.stringContaining('has new limits') })
  expect(await desk.isHeld()).toBe(true)
})

test('a signer is not released before all transactions of its key are final and read', async () => {
  await using desk = await held()
  const refused = { code: 1, errors: expect.stringContaining('not all of them are final and read yet') }
  await desk.sendUnknown(0)
  expect(await desk.run(release)).toMatchObject(refused)
  await desk.node.mine()
  expect(await desk.run(release)).toMatchObject(refused)
  await desk.finalize()
  expect(await desk.run(release)).toMatchObject({ code: 0, output: expect.stringContaining('starting with nonce 1') })
})

test('a signer is not released while a node of its chain does not respond', async () => {
  await using desk = await held()
  await using node = await faultyNode(desk.node.url)
  node.break('fails')
  const nodes = { RPC_URLS_8453: `${desk.node.url},${node.url}` }
  const { code, errors } = await desk.run(release, '', nodes)
  expect([code, errors]).toEqual([1, expect.stringContaining('1 of 2 nodes did not answer')])
  expect(errors).not.toContain(node.secret)
  node.mend()
  expect((await desk.run(release, '', nodes)).code).toBe(0)
})

test('a signer is not released while a transfer may have paid a waiting refund', async () => {
  await using desk = await held()
  const { sql } = desk.db
  const txHash = `0x${'7'.repeat(64)}`
  const id = uuidv7(new Date(), bytes => crypto.getRandomValues(bytes))
  await sql`
    insert into refunds (id, state, rev, version, created_at, updated_at, merchant_id, livemode, api_version, payment_id,
      amount_minor, currency, metadata, chain_id, asset, token_address, amount, destination, confirmations, attention)
    values (${id}, 'requires_signature', 1, 1, now(), now(), ${desk.merchantId}, false, '2026-11-20', ${id},
      1, 'USD', '{}', ${BASE}, 'USDC', ${`0x${'a'.repeat(40)}`}, 10, ${`0x${'b'.repeat(40)}`}, 0, false)`
  await sql`insert into noticed_transfers (chain_id, tx_hash, refund_id) values (${BASE}, ${txHash}, ${id})`
  const { code, errors } = await desk.run(release)
  expect([code, errors]).toEqual([1, expect.stringContaining('may have paid 1 of the waiting refunds')])
  expect(await desk.isHeld()).toBe(true)
  await sql`delete from noticed_transfers`
  expect((await desk.run(release)).code).toBe(0)
})
