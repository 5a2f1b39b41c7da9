import { afterAll, expect } from 'bun:test'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Hex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { keccak256, toHex } from 'viem/utils'
import { audit } from '../../src/audit/audit.ts'
import { connectChains } from '../../src/chain/enabled/connect.ts'
import { sandboxChain } from '../../src/chain/known/sandbox.ts'
import { startRefund } from '../../src/commands/refunds.ts'
import { uuidv7 } from '../../src/ids.ts'
import { kinds } from '../../src/kinds/all.ts'
import { findPayment } from '../../src/queries/payments.ts'
import { addSigner } from '../../src/queries/signer-setup.ts'
import dollar from '../../src/sandbox/contracts/test-dollar.json' with { type: 'json' }
import { SIGNER_PURPOSE } from '../../src/sealed-columns.ts'
import type { ReplacementTimes } from '../../src/signer/check-signer.ts'
import { openNamedLocks } from '../../src/signer/named-locks.ts'
import { signRefund } from '../../src/signer/sign.ts'
import { checkSignersOfChain } from '../../src/signer/signer-checks.ts'
import type { SigningServices } from '../../src/signer/signing-services.ts'
import { insertMerchant } from '../access/keys.ts'
import { anvil } from '../harness/anvil.ts'
import { type ApiServer, apiServer } from '../harness/api.ts'
import { paid } from '../http/payments.ts'

const zero = `0x${'0'.repeat(40)}`
const TRANSFER = keccak256(toHex('Transfer(address,address,uint256)'))

/** An instance with a merchant, a chain of its own, and a signer that by default has a million of each asset. */
export const signerInstance = async () => {
  const instance = await apiServer({ routes: [] })
  const node = await anvil({ mining: 'none' })
  const [funder] = node.accounts
  const made = await node.send({ from: funder, data: dollar.bytecode, gas: '0x300000' })
  const { contractAddress: token } = (await node.call('eth_getTransactionReceipt', made)) as { contractAddress: Hex }
  const chain = sandboxChain({ token, feed: zero, euroFeed: zero })
  const merchantId = await insertMerchant(instance.sql)
  const desk: SigningServices = {
    ...instance.api,
    sandbox: undefined,
    chains: connectChains([chain], () => [node.url], instance.api),
  }

  /** Mints test dollars. */
  const give = (to: string, amount: bigint) =>
    node.send({ from: funder, to: token, data: `0x40c10f19${word(BigInt(to))}${word(amount)}`, gas: '0x30000' })

  return {
    ...instance,
    ...{ node, token, desk, merchantId, give },
    newSigner: async ({
      coins = 10n ** 24n,
      tokens = 10n ** 12n,
      perRefundMinor = 10_000,
      perDayMinor = 1_000_000,
      of = undefined as string | undefined,
    } = {}) => {
      const merchantId = of ?? (await insertMerchant(instance.sql))
      const key = generatePrivateKey()
      const { address } = privateKeyToAccount(key)
      const id = uuidv7(new Date(), instance.api.random)
      await node.call('anvil_setBalance', address, toHex(coins))
      if (tokens > 0n) await give(address, tokens)
      await instance.sql`
        insert into merchant_settings (merchant_id, livemode, refund_mode) values (${merchantId}, false, 'signer')
        on conflict on constraint merchant_settings_pkey do update set refund_mode = 'signer'`
      await addSigner(instance.sql, {
        ...{ id, merchantId, chainId: chain.id, address: address.toLowerCase(), firstNonce: 0 },
        sealedKey: instance.api.keyring.seal(SIGNER_PURPOSE, id, key),
        limits: [{ currency: 'USD', perRefundMinor, perDayMinor }],
      })
      return { id, merchantId, key, address: lower(address) }
    },
    /** Sends one unit with the key, as another program could. */
    sendElsewhere: async (key: Hex, nonce: number) => {
      const fees = { maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 10n ** 10n, type: 'eip1559' } as const
      const sent = { chainId: chain.id, nonce, to: `0x${'e'.repeat(40)}`, gas: 21_000n, value: 1n, ...fees } as const
      return node.call('eth_sendRawTransaction', await privateKeyToAccount(key).signTransaction(sent))
    },
    /** Creates this many refunds, of 10 cents each by default, each to its own address. */
    refunds: async (merchantId: string, count: number, { amountMinor = 10, native = false } = {}) => {
      const whose = { merchantId, livemode: false }
      const pick = { tokenAddress: native ? null : token }
      const { actor } = await paid(instance.api, whose, 1000n, { pick })
      const payment = await findPayment(instance.sql, { id: actor, ...whose })
      if (!payment) throw new Error('the payment is missing')
      const refunds: { id: string; destination: Hex }[] = []
      for (let n = 0; n < count; n++) {
        const destination = lower(privateKeyToAccount(generatePrivateKey()).address)
        const request = { amountMinor, destination, reason: null, metadata: {} }
        const { id } = await startRefund(instance.api, payment, request, { cause: 'test', responseRows: () => [] })
        refunds.push({ id, destination })
      }
      return refunds
    },
    refund: async (id: string) => {
      const [row] = await instance.sql<{ state: string; txHash: Hex | null; failureReason: string | null }[]>`
        select state, tx_hash as "txHash", failure_reason as "failureReason" from refunds where id = ${id}`
      if (!row) throw new Error('the refund is missing')
      return row
    },
    waitOf: async (id: string) =>
      (await instance.sql<{ reason: string }[]>`select reason from signing_waits where refund_id = ${id}`)[0]?.reason,
    /** The number of transfers to an address ever mined. */
    transfersTo: async (address: string) => {
      const topics = [TRANSFER, null, `0x${word(BigInt(address))}`]
      return ((await node.call('eth_getLogs', { fromBlock: '0x0', address: token, topics })) as unknown[]).length
    },
    coinsOf: async (address: string) => BigInt(String(await node.call('eth_getBalance', address, 'latest'))),
    tokensOf: async (address: string) => {
      const call = { to: token, data: `0x70a08231${word(BigInt(address))}` }
      return BigInt(String(await node.call('eth_call', call, 'latest')))
    },
    /** Makes all mined blocks final for the ledger. */
    finalize: async () => {
      const { number, hash } = await node.mine()
      await instance.sql`delete from chain_blocks`
      await instance.sql`
        insert into chain_blocks (chain_id, number, hash, mined_at) values (${chain.id}, ${number}, ${hash}, now())`
      await instance.sql`
        insert into chain_cursors (chain_id, number, hash, mined_at, final_number, step)
        values (${chain.id}, ${number}, ${hash}, now(), ${number}, 1)
        on conflict (chain_id) do update
        set number = excluded.number, hash = excluded.hash, final_number = excluded.number`
    },
    audit: () => audit(instance.sql, kinds),
    /** A process that signs these refunds, or with `tend` checks the signed ones, and ends; killed at a step if one is named. Returns how it ended. */
    run: (ids: readonly string[], at = 'never') => runProgram(instance, [node.url, token, at, ...ids]),
    [Symbol.asyncDispose]: async () => {
      desk.chains.close()
      await node[Symbol.asyncDispose]()
      await instance[Symbol.asyncDispose]()
    },
  }
}

/** One instance for all tests of a file, with the services of one process. It is audited at the end. */
export const instanceForFile = async () => {
  const instance = await signerInstance()
  afterAll(async () => {
    expect(await instance.audit()).toEqual([])
    await instance[Symbol.asyncDispose]()
  })
  const turns = openNamedLocks()
  const tend = async (times?: ReplacementTimes) => {
    for (const connected of instance.desk.chains.all)
      await checkSignersOfChain(instance.desk, turns, connected, { untouchedMs: 0, ...(times && { times }) })
  }
  return {
    ...{ ...instance, turns, tend },
    sign: (id: string) => signRefund(instance.desk, turns, id),
    /** Including what was postponed. */
    tendNow: async () => {
      await instance.sql`update signing_waits set next_try_at = now() where next_try_at < 'infinity'`
      await tend()
    },
  }
}

export type SignerInstance = Awaited<ReturnType<typeof signerInstance>>

const runProgram = async ({ databaseUrl }: ApiServer, args: readonly string[]) => {
  const preload = fileURLToPath(new URL('../harness/end-with-parent.ts', import.meta.url))
  const program = fileURLToPath(new URL('./sign-program.ts', import.meta.url))
  const child = spawn(process.execPath, ['--preload', preload, program, databaseUrl, ...args], {
    stdio: ['pipe', 'inherit', 'inherit'],
  })
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null]
  return signal ?? code
}

const word = (value: bigint): string => value.toString(16).padStart(64, '0')
const lower = (address: string): Hex => `0x${address.slice(2).toLowerCase()}`
