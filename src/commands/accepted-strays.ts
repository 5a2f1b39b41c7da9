import type { AcceptedAsset, Payment } from '../../machines/payment-events.ts'
import type { Actor } from '../actors/kind.ts'
import type { Services } from '../actors/services.ts'
import type { Chain } from '../chain/chain.ts'
import { checksummedOrNull } from '../chain/checksum.ts'
import { confirmationsOf } from '../chain/enabled/chains.ts'
import type { Chains } from '../chain/enabled/connect.ts'
import { atPar, quotedAmount } from '../chain/quotes/amount.ts'
import { refuse } from '../errors.ts'
import { type AssetReceived, findReceived } from '../queries/strays.ts'

/**
 * The other asset in which a payment has received final money. It is accepted if no money arrived in the picked asset.
 * Undefined if there is none. Refused if all of the money is in assets that are not configured: the payment would
 * succeed with a received amount of 0 and could not be refunded.
 */
export const acceptedAssetOf = async (
  { sql }: Pick<Services, 'sql'>,
  chains: Pick<Chains, 'find'>,
  payment: Actor<Payment>,
): Promise<AcceptedAsset | undefined> => {
  const received = await findReceived(sql, payment)
  const isPicked = (each: AssetReceived) =>
    each.chainId === payment.context.chainId && each.tokenAddress === payment.context.tokenAddress
  const strays = received.filter(each => !isPicked(each) && each.amountFinal > 0n)
  for (const each of strays) {
    const chain = chains.find(each.chainId)?.chain
    const asset = chain && assetOf(chain, each.tokenAddress)
    if (!asset) continue
    const { amountReceived, amountFinal, address, payerAddress, txHash, blockNumber, scan } = each
    const pegged = asset.peg === payment.context.currency
    const atItsPar = pegged ? quotedAmount(payment.context, atPar, asset.decimals) : undefined
    return {
      ...{ chainId: each.chainId, asset: asset.asset, tokenAddress: each.tokenAddress, decimals: asset.decimals },
      ...{ address, amountExpected: atItsPar ?? amountFinal, confirmationsRequired: confirmationsOf(chain), pegged },
      ...{ scan, amountReceived, amountFinal, payerAddress, txHash, blockNumber },
      ...straysBeside(each, received),
    }
  }
  if (strays.length > 0 && payment.context.amountFinal === 0n && mayBeAccepted(payment))
    refuse('unsupported_asset', {
      message:
        'The money is in an asset or on a chain that is not configured on this server. Configure it, then accept the payment again.',
      details: {
        assets: strays.map(({ chainId, tokenAddress }) => ({
          chainId,
          tokenAddress: checksummedOrNull(tokenAddress),
        })),
      },
    })
  return undefined
}

const mayBeAccepted = ({ state }: Actor<Payment>): boolean => state !== 'processing' && state !== 'success'

const assetOf = ({ native, tokens }: Chain, tokenAddress: string | null) =>
  tokenAddress === null ? { ...native, peg: null } : tokens.find(({ address }) => address === tokenAddress)

/** The money at the addresses of the payment in other assets than the accepted one. */
const straysBeside = (
  accepted: AssetReceived,
  received: readonly AssetReceived[],
): Pick<AcceptedAsset, 'stray' | 'finalStrays'> => {
  const others = received.filter(each => each !== accepted)
  if (others.length === 0) return { stray: null, finalStrays: 0 }
  return {
    stray: others.some(({ chainId }) => chainId === accepted.chainId) ? 'wrong_asset' : 'wrong_chain',
    finalStrays: others.reduce((sum, { finalTransfers }) => sum + finalTransfers, 0),
  }
}
