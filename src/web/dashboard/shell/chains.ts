import type { ShownChain } from './shown-chain.ts'

/** The server writes them into the frame of the page. */
const chains: readonly ShownChain[] = JSON.parse(document.body.dataset.chains ?? '[]')

/** Undefined if it is not enabled on this server. */
export const findChain = (chainId: number): ShownChain | undefined => chains.find(each => each.chainId === chainId)

export const chainsIn = (livemode: boolean): readonly ShownChain[] => chains.filter(each => each.livemode === livemode)

/** A chain that is no longer enabled has only its ID. The API names it the same. */
export const networkNameOf = (chainId: number): string => findChain(chainId)?.network ?? `Chain ${chainId}`

type OnChain = { readonly chainId: number; readonly asset: string; readonly tokenAddress: string | null }

/** The asset with its decimals; undefined if the server does not know it any more. */
export const findUnit = ({ chainId, asset, tokenAddress }: OnChain) => {
  const chain = findChain(chainId)
  const known =
    tokenAddress === null
      ? chain?.native
      : chain?.tokens.find(({ address }) => address.toLowerCase() === tokenAddress.toLowerCase())
  return known && { asset, decimals: known.decimals }
}

/** The page of a transaction or an address in the explorer of its chain. */
export const explorerLink = (chainId: number, kind: 'tx' | 'address', value: string): string | undefined => {
  const explorerUrl = findChain(chainId)?.explorerUrl ?? null
  return explorerUrl === null ? undefined : `${explorerUrl}/${kind}/${value}`
}
