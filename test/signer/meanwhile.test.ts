import { afterAll, expect, test } from 'bun:test'
import { connect } from '../../src/postgres/connect.ts'
import { listManuallySigned } from '../../src/queries/manual-signing.ts'
import { addSigner } from '../../src/queries/signer-setup.ts'
import { SIGNER_PURPOSE } from '../../src/sealed-columns.ts'
import { until } from '../harness/until.ts'
import { instanceForFile } from './signer-instance.ts'

const instance = await instanceForFile()
const { sql } = instance
/** A change that is committed when the test says so. */
const slow = connect(instance.databaseUrl, { max: 1 })
afterAll(() => slow.end())

type Signer = Awaited<ReturnType<typeof instance.newSigner>>

/** For a merchant that signs by hand until then. */
const changes = {
  enabled: {
    undo: ({ merchantId }: Signer) =>
      sql`update merchant_settings set refund_mode = 'manual' where merchant_id = ${merchantId}`,
    make: async (by: typeof sql, { merchantId }: Signer) => {
      await by`update merchant_settings set refund_mode = 'signer' where merchant_id = ${merchantId}`
    },
  },
  added: {
    undo: ({ merchantId }: Signer) => sql`select remove_refund_signer(${merchantId}, 31337, 'operator')`,
    make: async (by: typeof sql, { merchantId, address, key }: Signer) => {
      const id = crypto.randomUUID()
      await addSigner(by, {
        ...{ id, merchantId, address, chainId: 31337, firstNonce: 0 },
        sealedKey: instance.api.keyring.seal(SIGNER_PURPOSE, id, key),
        limits: [{ currency: 'USD', perRefundMinor: 9_000, perDayMinor: 9_000 }],
      })
    },
  },
}
const ways = Object.entries(changes)

const isLockAwaited = async () =>
  (await sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`).length > 0
const waitingOf = (of: string) =>
  sql<{ id: string }[]>`select id from refunds where merchant_id = ${of} and state = 'requires_signature'`
const byHand = async (id: string) => (await listManuallySigned(sql, [id])).has(id)

/** Its destination is removed and then named again by a commit that takes long. */
const nameSlowly = ({ id, destination }: { id: string; destination: string }) =>
  slow`update refunds set state = 'requires_signature', destination = ${destination} where id = ${id}`
const unnamed = async (of: string, count = 1) => {
  const ids = (await instance.refunds(of, count)).map(({ id }) => id)
  // As it is stored, for `nameSlowly` to restore: the history has this spelling.
  const refunds = await sql<{ id: string; destination: string }[]>`
    select id, destination from refunds where id = any(${ids}::uuid[]) order by id`
  await sql`update refunds set state = 'requires_destination', destination = null where id = any(${ids}::uuid[])`
  return [...refunds]
}

test.each(ways)(
  'a refund created while a signer is being %s is signed by it, and its transaction is never shown',
  async (_, how) => {
    const signer = await instance.newSigner()
    const { merchantId: of } = signer
    await how.undo(signer)
    await slow`begin`
    await how.make(slow, signer)
    const making = instance.refunds(of, 1)
    await until(async () => (await isLockAwaited()) || (await waitingOf(of)).length > 0)
    const [early] = await waitingOf(of)
    const isShown = early !== undefined && (await byHand(early.id))
    await slow`commit`
    const [refund] = await making
    if (!refund) throw new Error('the refund is missing')
    expect([isShown, await byHand(refund.id)]).toEqual([false, false])
    await instance.sign(refund.id)
    expect((await instance.refund(refund.id)).state).toBe('processing')
  },
)

test.each(ways)(
  'a refund whose commit is not finished when a signer is %s is left for signing by hand',
  async (_, how) => {
    const signer = await instance.newSigner()
    await how.undo(signer)
    const [refund] = await unnamed(signer.merchantId)
    if (!refund) throw new Error('the refund is missing')
    const { id } = refund
    await slow`begin`
    await nameSlowly(refund)
    const changing = how.make(sql, signer)
    await until(isLockAwaited)
    await slow`commit`
    await changing
    await instance.sign(id)
    expect([await instance.waitOf(id), (await instance.refund(id)).state]).toEqual(['by_hand', 'requires_signature'])
    expect(await byHand(id)).toBe(true)
  },
)

test('a commit with refunds of both modes and the addition of a signer do not deadlock', async () => {
  const signer = await instance.newSigner()
  const { merchantId: of } = signer
  await changes.added.undo(signer)
  await sql`insert into merchant_settings (merchant_id, livemode) values (${of}, true)`
  const [live, test] = await unnamed(of, 2)
  if (!live || !test) throw new Error('the refunds are missing')
  await sql`update refunds set livemode = true where id = ${live.id}`
  await slow`begin`
  await nameSlowly(live)
  const adding = changes.added.make(sql, signer)
  await until(isLockAwaited)
  await nameSlowly(test)
  await slow`commit`
  await adding
  expect([await instance.waitOf(live.id), await instance.waitOf(test.id)]).toEqual(['by_hand', 'by_hand'])
  await sql`update refunds set livemode = false where id = ${live.id}`
})
