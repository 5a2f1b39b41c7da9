import type { Payment } from '../../machines/payment-events.ts'
import type { Command } from '../../src/actors/command.ts'
import type { Actor } from '../../src/actors/kind.ts'
import type { Api } from '../../src/http/api.ts'
import { encodeId, uuidv7 } from '../../src/ids.ts'
import { linkEventOf, paymentKind } from '../../src/kinds/payment.ts'
import { ofKind } from '../../src/queries/actors.ts'
import type { ListOwner } from '../../src/queries/list-rows.ts'
import { hash, paymentOpening, payments } from '../machines/payment-cases.ts'
import { makeLink } from './links.ts'

/** `id` is the id in the API, `actor` the id in the database. */
export type OpenedPayment = { readonly id: string; readonly actor: string; readonly address: string }

export type MadePayment = OpenedPayment & { readonly link: string; readonly linkId: string }

/** A payment in a situation of the machine's tests, on a link of its own, brought there by its events. */
export const makePayment = async (
  api: Api,
  whose: ListOwner,
  situation = 'success',
  {
    maxPayments = null,
    hidden = false,
    ...more
  }: { readonly maxPayments?: number | null; readonly hidden?: boolean } & Record<string, unknown> = {},
): Promise<MadePayment> => {
  const { currency = paymentOpening.currency } = more
  const { link, id: linkId } = await makeLink(api, whose, { maxPayments, hidden, currency })
  const { create, ...opened } = opening(api, whose, { paymentLinkId: link.id, ...more })
  await carryOut(api, [onLink(link.id, 'open_payment'), create])
  await move(api, { ...opened, link: link.id }, payments.situations[situation] ?? situation)
  return { ...opened, link: link.id, linkId }
}

/** Applies events of the machine's tests to a payment, and the matching events to its link. */
export const move = async (
  api: Api,
  { actor, address, link }: Pick<MadePayment, 'actor' | 'address' | 'link'>,
  path: string,
): Promise<void> => {
  for (const name of path.split(', ').filter(Boolean)) {
    const event = payments.events[name]
    if (!event) throw new Error(`unknown event ${name}`)
    const here = {
      ...(event.type === 'asset_picked' && { address }),
      // The table of cases has its own time; here the time goes on.
      ...(event.type === 'window_over' && { scannedTo: new Date(api.clock.now().getTime() + 3_600_000) }),
    }
    const linkEvent = linkEventOf[event.type as keyof typeof linkEventOf]
    await carryOut(api, [
      { kind: 'payment', actor, event: { ...event, ...here } },
      ...(linkEvent ? [onLink(link, linkEvent)] : []),
    ])
  }
}

/**
 * A payment of 1000 cents that requests as many atomic units by default. It has no link; the test applies events to
 * it with amounts of its own.
 */
export const openPayment = async (
  api: Api,
  whose: ListOwner,
  { opening: more = {}, pick = {} }: { readonly opening?: object; readonly pick?: object } = {},
): Promise<OpenedPayment> => {
  const { create, ...opened } = opening(api, whose, { paymentLinkId: uuidv7(new Date(), api.random), ...more })
  await carryOut(api, [create])
  await happen(api, opened.actor, { type: 'asset_picked', ...payments.events.pick, address: opened.address, ...pick })
  return opened
}

/** Such a payment that has succeeded with this many atomic units. */
export const paid = async (api: Api, whose: ListOwner, received = 1000n, more = {}): Promise<OpenedPayment> => {
  const opened = await openPayment(api, whose, more)
  await happen(api, opened.actor, seen('enough_seen', received))
  await happen(api, opened.actor, final('finalized', received))
  return opened
}

/** Dispatches an event from the chain, a timer or a person. */
export const happen = async (
  { actors }: Api,
  actor: string,
  event: { type: string } & Record<string, unknown>,
): Promise<Actor<Payment>> => {
  const outcome = await actors.dispatch({ kind: 'payment', actor, event })
  if (!outcome.ok) throw new Error(`the payment is ${outcome.actor?.state} and does not accept ${event.type}`)
  return ofKind(paymentKind, outcome.actor)
}

const of = { chainId: 31337, asset: 'TUSD', scan: 5 }
export const seen = (type: string, amountReceived: bigint) => ({
  ...of,
  ...{ type, amountReceived, payerAddress: null, txHash: hash(7), blockNumber: 7, minedAt: new Date() },
  hasLostAgreed: false,
})
export const final = (type: string, amountFinal: bigint) => ({ ...of, type, amountFinal })
export const windowOver = () => ({ type: 'window_over', scannedTo: new Date(Date.now() + 3_600_000) })

const opening = (api: Api, { merchantId, livemode }: ListOwner, more: object) => {
  const actor = uuidv7(api.clock.now(), api.random)
  const address = `0x${actor.replaceAll('-', '').padStart(40, '0')}`
  const create = { ...paymentOpening, merchantId, livemode, windowMinutes: 30, ...more }
  return { id: encodeId('pay', actor), actor, address, create: { kind: 'payment', actor, create } satisfies Command }
}

const onLink = (actor: string, type: string): Command => ({ kind: 'payment_link', actor, event: { type } })

const carryOut = async ({ actors }: Api, commands: readonly Command[]): Promise<void> => {
  const outcome = await actors.dispatchBundle(commands)
  if (!outcome.ok) throw new Error(`a command was refused: ${JSON.stringify([commands[outcome.index], outcome])}`)
}
