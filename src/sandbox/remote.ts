import { sandboxId } from '../chain/known/sandbox.ts'
import { ask, headOf } from './ask.ts'
import { readEpoch } from './epoch-mark.ts'
import type { Keeper } from './keeper.ts'

/**
 * A development node that is kept elsewhere. By another house: its chain has the epoch which that has given it. By
 * another program: an epoch ends when the first block is another one.
 */
export const openRemote = (url: string): Keeper => {
  let epoch: string | undefined
  return {
    url,
    epoch: () => epoch,
    look: async () => {
      // Nothing is ever sent to a chain that may hold money.
      if (Number(await ask(url, 'eth_chainId')) !== sandboxId) throw new WrongChain()
      epoch = (await readEpoch(url)) ?? (await headOf(url, '0x0')).hash
    },
    save: async () => {},
    stop: async () => {},
  }
}

export class WrongChain extends Error {
  override readonly name = 'WrongChain'
}
