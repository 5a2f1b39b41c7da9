import type { Command } from '../../src/actors/command.ts'
import { newId } from '../actors/lamps.ts'
import { paymentOpening, payments } from '../machines/payment-cases.ts'
import { paymentLinkOpening } from '../machines/payment-link-cases.ts'
import type { ChainHouse } from './chain-house.ts'
import { addressOf } from './chain-node.ts'

export type Opened = { readonly id: string; readonly address: string }

/** Links that anybody may pay any time. */
export const makeLinks = (house: ChainHouse, count: number): Promise<readonly string[]> =>
  Promise.all(
    Array.from({ length: count }, async () => {
      const create = { ...paymentLinkOpening, ...whoseOf(house), reference: null, maxPayments: null, expiresAt: null }
      const id = newId()
      await carryOut(house, [{ kind: 'payment_link', actor: id, create }])
      return id
    }),
  )

/** A payment on each of these links, with what it is to be paid with picked, by the commands of a checkout. */
export const openOn = (house: ChainHouse, links: readonly string[]): Promise<readonly Opened[]> =>
  Promise.all(
    links.map(async link => {
      const id = newId()
      const address = addressOf('deposit', id)
      const create = { ...paymentOpening, ...whoseOf(house), paymentLinkId: link, windowMinutes: 60 }
      const pick = { ...payments.events.pick, type: 'asset_picked', tokenAddress: house.chain.tokens[0], address }
      const deposit = { address, payment_id: id, merchant_id: house.merchantId, treasury: addressOf('treasury') }
      await carryOut(house, [
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

/** What each of them is sent is all that is due. */
export const DUE = 1_000n

let counter = 0

const whoseOf = ({ merchantId }: ChainHouse) => ({ merchantId, livemode: false })

const carryOut = async ({ world }: ChainHouse, commands: readonly Command[]): Promise<void> => {
  const outcome = await world.actors.dispatchBundle(commands)
  if (!outcome.ok) throw new Error(`a command was refused: ${JSON.stringify([commands[outcome.index], outcome])}`)
}
