import type { Hex } from 'viem'
import { forwarderOf, saltOf } from '../../chain/forwarder.ts'
import type { Keyring } from '../../keyring.ts'
import type { Sql } from '../../postgres/connect.ts'
import { RECOVERY_PURPOSE } from '../../sealed-columns.ts'
import type { Check } from './check.ts'

/** With 2,000 rows at a time, a million took 110 MiB more than the process had before, with these 56 MiB. */
const ROWS_AT_ONCE = 250

/** Money at a deposit address can be moved only to the treasury from which the address was derived. */
export const depositDerivation = (keyring: Keyring): Check => ({
  invariant: 'I4',
  what: 'a deposit address that was not derived from its treasury, its counter and the recovery secret',
  find: async function* (sql) {
    let merchant: string | undefined
    let secret: Uint8Array | undefined
    const forwarders = new Map<Hex, ReturnType<typeof forwarderOf>>()
    for await (const { address, merchant_id, treasury, counter, sealed } of depositsOf(sql)) {
      if (merchant_id !== merchant) {
        merchant = merchant_id
        secret = sealed === null ? undefined : open(keyring, merchant_id, sealed)
        forwarders.clear()
      }
      const addressOf = forwarders.get(treasury) ?? forwarderOf(treasury)
      forwarders.set(treasury, addressOf)
      if (!secret || addressOf(saltOf(secret, Number(counter))) !== address) yield address
    }
  },
})

/** Ordered by merchant, so that only one secret and a few treasuries are in memory at a time. */
async function* depositsOf(sql: Sql): AsyncGenerator<Deposit> {
  let last = { merchant_id: '00000000-0000-0000-0000-000000000000', counter: '0' }
  for (;;) {
    const rows = await sql<Deposit[]>`
      select d.address, d.merchant_id, d.treasury, d.counter, s.sealed_secret as sealed
      from deposit_addresses d left join recovery_secrets s on s.id = d.merchant_id
      where (d.merchant_id, d.counter) > (${last.merchant_id}, ${last.counter})
      order by d.merchant_id, d.counter
      limit ${ROWS_AT_ONCE}`
    yield* rows
    const end = rows.at(-1)
    if (!end) return
    last = end
  }
}

type Deposit = {
  readonly address: string
  readonly merchant_id: string
  readonly treasury: Hex
  readonly counter: string
  readonly sealed: string | null
}

const open = (keyring: Keyring, merchantId: string, sealed: string): Uint8Array =>
  new Uint8Array(Buffer.from(keyring.open(RECOVERY_PURPOSE, merchantId, sealed), 'hex'))
