import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { type AnnouncedWallet, findWallets } from '../../wallets/find-wallets.ts'
import { fail, type Provider, readChainId, switchChain } from '../../wallets/wallet-steps.ts'
import { findChain } from './chains.ts'

const wallets = signal<readonly AnnouncedWallet[]>([])
const hasWaited = signal(false)
let isStarted = false

/** The wallets of this browser, including those that are found later. */
export const useWallets = (legacyName: string) => {
  useEffect(() => {
    if (isStarted) return
    isStarted = true
    findWallets({
      legacyName,
      found: wallet => {
        wallets.value = [...wallets.value, wallet]
      },
      waited: () => {
        hasWaited.value = true
      },
    })
  }, [])
  return { wallets: wallets.value, isNone: hasWaited.value && wallets.value.length === 0 }
}

/** Switches the wallet to a chain, and throws unless it is on the chain afterwards. */
export const putOnChain = async (provider: Provider, chainId: number): Promise<void> => {
  if ((await readChainId(provider)) === chainId) return
  const chain = findChain(chainId)
  await switchChain(provider, {
    ...{ chainId, network: chain?.network ?? String(chainId), native: chain?.native.asset ?? '' },
    ...{ rpcUrl: chain?.publicNode ?? null, explorerUrl: chain?.explorerUrl ?? null },
  })
  if ((await readChainId(provider)) !== chainId) fail('onOther')
}

export const hexNumber = (number: string | number): string => `0x${BigInt(number).toString(16)}`
