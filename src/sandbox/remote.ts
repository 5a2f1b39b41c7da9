import { sandboxId } from '../chain/known/sandbox.ts'
import { ask, headOf } from './ask.ts'
import type { Keeper } from './keeper.ts'

/** Another program's development node. Its chain is its own: an epoch ends when its first block is another one. */
export const openRemote = (url: string): Keeper => {
  let genesis: string | undefined
  return {
    url,
    epoch: () => genesis,
    look: async () => {
      // Nothing is ever sent to a chain that may hold money.
      if (Number(await ask(url, 'eth_chainId')) !== sandboxId) throw new WrongChain()
      genesis = (await headOf(url, '0x0')).hash
    },
    save: async () => {},
    stop: async () => {},
  }
}

export class WrongChain extends Error {
  override readonly name = 'WrongChain'
}
