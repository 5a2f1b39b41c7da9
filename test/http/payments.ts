import type { Command } from '../../src/actors/command.ts'
import type { Api } from '../../src/http/api.ts'
import { encodeId, uuidv7 } from '../../src/ids.ts'
import { linkEventOf } from '../../src/kinds/payment.ts'
import type { Whose } from '../../src/queries/places.ts'
import { paymentOpening, payments } from '../machines/payment-cases.ts'
import { makeLink } from './links.ts'

export type MadePayment = {
  readonly id: string
  readonly actor: string
  readonly link: string
  readonly linkId: string
}

/** A payment in a situation of its machine's tests, on a link of its own, by the events that lead there. */
export const makePayment = async (
  api: Api,
  whose: Whose,
  situation = 'success',
  { maxPayments = null, ...more }: { readonly maxPayments?: number | null } & Record<string, unknown> = {},
): Promise<MadePayment> => {
  const { link, id: linkId } = await makeLink(api, whose, { maxPayments })
  const actor = uuidv7(api.clock.now(), api.random)
  const { merchantId, livemode } = whose
  const create = { ...paymentOpening, merchantId, livemode, windowMinutes: 30, paymentLinkId: link.id, ...more }
  await carryOut(api, [onLink(link.id, 'open_payment'), { kind: 'payment', actor, create }])
  await move(api, { actor, link: link.id }, payments.situations[situation] ?? situation)
  return { id: encodeId('pay', actor), actor, link: link.id, linkId }
}

/** Lets events happen to a payment, and tells its link of them as every sender does. */
export const move = async (
  api: Api,
  { actor, link }: Pick<MadePayment, 'actor' | 'link'>,
  path: string,
): Promise<void> => {
  for (const name of path.split(', ').filter(Boolean)) {
    const event = payments.events[name]
    if (!event) throw new Error(`no event is called ${name}`)
    const address = `0x${actor.replaceAll('-', '').padStart(40, '0')}`
    const here = {
      ...(event.type === 'asset_picked' && { address }),
      // The tables know the time, and here it goes on.
      ...(event.type === 'window_over' && { scannedTo: new Date(api.clock.now().getTime() + 3_600_000) }),
    }
    const told = linkEventOf[event.type as keyof typeof linkEventOf]
    await carryOut(api, [
      { kind: 'payment', actor, event: { ...event, ...here } },
      ...(told ? [onLink(link, told)] : []),
    ])
  }
}

const onLink = (actor: string, type: string): Command => ({ kind: 'payment_link', actor, event: { type } })

const carryOut = async ({ actors }: Api, commands: readonly Command[]): Promise<void> => {
  const outcome = await actors.dispatchBundle(commands)
  if (!outcome.ok) throw new Error(`a command was refused: ${JSON.stringify([commands[outcome.index], outcome])}`)
}
