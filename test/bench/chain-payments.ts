import type { Command } from '../../src/actors/command.ts'
import { newId } from '../actors/lamps.ts'
import { paymentOpening, payments } from '../machines/payment-cases.ts'
import { paymentLinkOpening } from '../machines/payment-link-cases.ts'
import type { ChainInstance } from './chain-instance.ts'
import { addressOf } from './chain-node.ts'

export type Opened = { readonly id: string; readonly address: string }

/** Links with no limit of payments or time. */
export const makeLinks = (instance: ChainInstance, count: number): Promise<readonly string[]> =>
  Promise.all(
    Array.from({ length: count }, async () => {
      const create = {
        ...paymentLinkOpening,
        ...whoseOf(instance),
        reference: null,
        maxPayments: null,
        expiresAt: null,
      }
      const id = newId()
      await carryOut(instance, [{ kind: 'payment_link', actor: id, create }])
      return id
    }),
  )

/** A payment on each of these links, with its asset picked, by the commands of a checkout. */
export const openOn = (instance: ChainInstance, links: readonly string[]): Promise<readonly Opened[]> =>
  Promise.all(
    links.map(async link => {
      const id = newId()
      const address = addressOf('deposit', id)
      const create = { ...paymentOpening, ...whoseOf(instance), paymentLinkId: link, windowMinutes: 60 }
      const pick = { ...payments.events.pick, type: 'asset_picked', tokenAddress: instance.chain.tokens[0], address }
      const deposit = { address, payment_id: id, merchant_id: instance.merchantId, treasury: addressOf('treasury') }
      await carryOut(instance, [
        { kind: 'payment_link', actor: link, event: { type: 'open_payment' } },
        { kind: 'payment', actor: id, create },
        {
          ...{ kind: 'payment', actor: id, event: pick },
          rows: [{ table: 'deposit_addresses', row: { ...deposit, counter: counter++ } }],
        },
      ])
      return { id, address }
    }),
  )

/** The full amount of each payment. */
export const DUE = 1_000n

let counter = 0

const whoseOf = ({ merchantId }: ChainInstance) => ({ merchantId, livemode: false })

const carryOut = async ({ world }: ChainInstance, commands: readonly Command[]): Promise<void> => {
  const outcome = await world.actors.dispatchBundle(commands)
  if (!outcome.ok) throw new Error(`a command was refused: ${JSON.stringify([commands[outcome.index], outcome])}`)
}
