import type { Payment } from '../../machines/payment-events.ts'
import type { Actor } from '../../src/actors/kind.ts'
import type { Api } from '../../src/http/api.ts'
import { encodeId, uuidv7 } from '../../src/ids.ts'
import { paymentKind } from '../../src/kinds/payment.ts'
import { ofKind } from '../../src/queries/actors.ts'
import type { Whose } from '../../src/queries/places.ts'
import { paymentOpening, payments } from '../machines/payment-cases.ts'

/** A payment of 1000 cents whose customer is to send as many atomic units, unless told otherwise. */
export const openPayment = async (
  api: Api,
  { merchantId, livemode }: Whose,
  { opening = {}, pick = {} }: { opening?: object; pick?: object } = {},
): Promise<Opened> => {
  const id = uuidv7(new Date(), api.random)
  const paymentLinkId = uuidv7(new Date(), api.random)
  const create = { ...paymentOpening, merchantId, livemode, paymentLinkId, windowMinutes: 30, ...opening }
  const created = await api.actors.dispatch({ kind: 'payment', actor: id, create })
  if (!created.ok) throw new Error(`no payment was made: ${created.refusal}`)
  const address = `0x${id.replaceAll('-', '').padStart(40, '0')}`
  await happen(api, id, { type: 'asset_picked', ...payments.events.pick, address, ...pick })
  return { id, wireId: encodeId('pay', id), address }
}

export type Opened = { readonly id: string; readonly wireId: string; readonly address: string }

/** What the chain, a clock or a person tells it. */
export const happen = async (
  { actors }: Api,
  id: string,
  event: { type: string } & Record<string, unknown>,
): Promise<Actor<Payment>> => {
  const outcome = await actors.dispatch({ kind: 'payment', actor: id, event })
  if (!outcome.ok) throw new Error(`the payment is ${outcome.actor?.state} and does not take ${event.type}`)
  return ofKind(paymentKind, outcome.actor)
}

const of = { chainId: 31337, asset: 'TUSD', scan: 5 }
export const seen = (type: string, amountReceived: bigint) => ({
  ...of,
  ...{ type, amountReceived, payerAddress: null, txHash: `0x${'7'.repeat(64)}`, blockNumber: 7, minedAt: new Date() },
})
export const final = (type: string, amountFinal: bigint) => ({ ...of, type, amountFinal })
export const windowOver = () => ({ type: 'window_over', scannedTo: new Date(Date.now() + 3_600_000) })

/** One that has succeeded with so many atomic units. */
export const paid = async (api: Api, whose: Whose, received = 1000n, more = {}): Promise<Opened> => {
  const opened = await openPayment(api, whose, more)
  await happen(api, opened.id, seen('enough_seen', received))
  await happen(api, opened.id, final('finalized', received))
  return opened
}
