import type { Hex } from 'viem'
import { type Holding, readHoldings } from '../collect/holdings.ts'
import { forwarderOf, saltOf } from '../forwarder.ts'
import type { Ask } from '../rpc/ask.ts'
import type { Recovery } from './file.ts'

export type FoundDeposit = Holding & { readonly treasury: Hex; readonly counter: number; readonly salt: Hex }

export type Search = {
  /** Every address with a balance. */
  readonly found: readonly FoundDeposit[]
  /** Number of addresses that were checked for each treasury. */
  readonly searched: number
  /** Tokens that did not return the balance of some address. */
  readonly tokensWithoutBalance: readonly Hex[]
}

/**
 * Checks every address that was issued before the file was written, and continues until `gap` addresses in a row were never
 * used: opening a payment issues an address, and most of these payments may never have been paid. A restore of a backup
 * skips tens of thousands.
 */
export const findFunds = async (
  ask: Ask,
  { secret, highestCounter }: Pick<Recovery, 'secret' | 'highestCounter'>,
  treasuries: readonly Hex[],
  { tokens, gap }: { readonly tokens: readonly Hex[]; readonly gap: number },
): Promise<Search> => {
  const derivations = treasuries.map(treasury => ({ treasury, addressOf: forwarderOf(treasury) }))
  const found: FoundDeposit[] = []
  const withoutBalance = new Set<Hex>()
  let searched = 0
  for (let used = highestCounter === null ? 0 : highestCounter + 1; searched < used + gap; ) {
    const first = searched
    searched = Math.min(first + step, used + gap)
    const salts = Array.from({ length: searched - first }, (_, at) => saltOf(secret, first + at))
    // A counter was used for one of the treasuries, and the file does not record which.
    for (const { treasury, addressOf } of derivations) {
      const holdings = await readHoldings(ask, salts.map(addressOf), tokens)
      for (const [at, salt] of salts.entries()) {
        const holding = holdings[at]
        if (!holding) continue
        const counter = first + at
        const holds = holding.native > 0n || holding.tokens.some(amount => amount)
        if (holds) found.push({ ...holding, treasury, counter, salt })
        if (holds || holding.deployed) used = Math.max(used, counter + 1)
        tokens
          .filter((_, place) => holding.tokens[place] === undefined)
          .forEach(token => void withoutBalance.add(token))
      }
    }
  }
  return { found, searched, tokensWithoutBalance: [...withoutBalance] }
}

const step = 1000
