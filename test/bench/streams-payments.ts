import type { Actors } from '../../src/actors/actors.ts'
import type { Command } from '../../src/actors/command.ts'
import { linkEventOf } from '../../src/kinds/payment.ts'
import { newId } from '../actors/lamps.ts'
import { final, seen } from '../http/payments.ts'
import { paymentOpening, payments } from '../machines/payment-cases.ts'
import { paymentLinkOpening } from '../machines/payment-link-cases.ts'

export type Owned = { readonly merchantId: string; readonly links: readonly string[] }

export const makeLinks = async (actors: Actors, merchantId: string, count: number): Promise<readonly string[]> => {
  const ids = Array.from({ length: count }, newId)
  const create = { ...paymentLinkOpening, merchantId, livemode: false, reference: null, maxPayments: null }
  await Promise.all(
    ids.map(actor => carryOut(actors, [{ kind: 'payment_link', actor, create: { ...create, expiresAt: null } }])),
  )
  return ids
}

export const makePaidPayments = async (actors: Actors, owned: Owned, count: number): Promise<readonly string[]> => {
  const ids: string[] = []
  for (let n = 0; n < count; n++) {
    const { id, steps } = paymentSteps(owned, n)
    for (const commands of steps) await carryOut(actors, commands)
    ids.push(id)
  }
  return ids
}

/** Changes of a payment's whole path: its own, those of its link, and the beginning and the end of one webhook delivery. */
export const CHANGES_OF_PAYMENT = 9

/** The same in the table of transitions: the beginning of a delivery is not in it. */
export const TRANSITIONS_OF_PAYMENT = 8

/**
 * The commands of a payment's path, each a commit, as the checkout and the chain send them. Every tenth payment is created
 * and gets its asset in one commit, which is one message. `more`: other fields of the payment.
 */
export const paymentSteps = ({ merchantId, links }: Owned, n: number, more: object = {}) => {
  const id = newId()
  const link = links[n % links.length] ?? ''
  const of = (type: string, event: Record<string, unknown>): Command[] => {
    const linkEvent = linkEventOf[type as keyof typeof linkEventOf]
    return [{ kind: 'payment', actor: id, event: { ...event, type } }, ...(linkEvent ? [onLink(link, linkEvent)] : [])]
  }
  const create = {
    ...{ ...paymentOpening, merchantId, livemode: false, paymentLinkId: link, windowMinutes: 30 },
    ...{ customerEmail: `customer${n}@example.com`, reference: `order ${n}`, ...more },
  }
  const opened: Command[] = [onLink(link, 'open_payment'), { kind: 'payment', actor: id, create }]
  const picked = of('asset_picked', {
    ...payments.events.pick,
    address: `0x${id.replaceAll('-', '').padStart(40, '0')}`,
  })
  const paid = [of('enough_seen', seen('enough_seen', 1000n)), of('finalized', final('finalized', 1000n))]
  return { id, steps: n % 10 === 0 ? [[...opened, ...picked], ...paid] : [opened, picked, ...paid] }
}

const onLink = (actor: string, type: string): Command => ({ kind: 'payment_link', actor, event: { type } })

/** A change of a payment that is done, which can be repeated: a refund is reserved, or released again. */
export const touch = (actor: string, turn: number): Command => ({
  kind: 'payment',
  actor,
  event: { type: turn % 2 === 0 ? 'reserve_refund' : 'release_refund', amountMinor: 300 },
})

export const carryOut = async (actors: Actors, commands: readonly Command[]): Promise<void> => {
  const outcome = await actors.dispatchBundle(commands)
  if (!outcome.ok) throw new Error(`a command was refused: ${outcome.refusal}`)
}
