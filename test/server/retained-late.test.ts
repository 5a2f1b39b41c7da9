import { expect, test } from 'bun:test'
import { audit } from '../../src/audit/audit.ts'
import { kinds } from '../../src/kinds/all.ts'
import { payments } from '../machines/payment-cases.ts'
import { sendingInstance } from '../webhooks/sending-instance.ts'
import { daysAgo, readFeeds, recordAudit, runRetention } from './retaining.ts'

test('a payment counts as late once, also if its history was dropped before more late money came', async () => {
  await using instance = await sendingInstance({ at: daysAgo(501) })
  const { clock, sql, world } = instance
  const [merchant] = await sql<{ id: string }[]>`select id from merchants`
  const actor = crypto.randomUUID()
  const send = async (name: string, more: object = {}) => {
    const event = { type: '', ...payments.events[name], ...more }
    expect(await world.actors.dispatch({ kind: 'payment', actor, event })).toMatchObject({ ok: true })
  }
  const revs = async () =>
    (await sql<{ rev: number }[]>`select rev from transitions where actor = ${actor} order by rev`).map(
      ({ rev }) => rev,
    )
  const late = async () => {
    await readFeeds(instance)
    const [sums] = await sql<{ late: number }[]>`
      select sum(late)::integer as late from payment_sums where breakdown = 'all' and span = 'day'`
    return sums?.late
  }

  const create = { ...payments.input, merchantId: merchant?.id, latePolicy: 'needs_attention' }
  expect(await world.actors.dispatch({ kind: 'payment', actor, create })).toMatchObject({ ok: true })
  await send('pick', { at: clock.now() })
  await send('over', { scannedTo: daysAgo(500) })
  await send('now 400 in block 8')
  await send('late 400')
  await send('dismiss')
  clock.set(new Date())
  expect(await late()).toBe(1)
  await recordAudit(instance, 'clean')
  await runRetention(instance)
  // Its end, the first late money, and the last entry.
  expect(await revs()).toEqual([3, 5, 6])
  await send('now 600')
  await send('late 600')
  expect(await late()).toBe(1)
  expect(await audit(sql, kinds)).toEqual([])
})
