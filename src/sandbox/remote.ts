import { sandboxId } from '../chain/known/sandbox.ts'
import { readEpoch } from './epoch-mark.ts'
import { callNode, getHead } from './node-client.ts'
import type { SandboxNode } from './sandbox-node.ts'

/**
 * A development node that is not run by this process. If another paymachine process runs it, the epoch is stored on its
 * chain. Otherwise the epoch is the hash of the first block.
 */
export const openRemote = (url: string): SandboxNode => {
  let epoch: string | undefined
  return {
    url,
    epoch: () => epoch,
    prepare: async () => {
      // Nothing must be sent to a chain with real money.
      if (Number(await callNode(url, 'eth_chainId')) !== sandboxId) throw new WrongChain()
      epoch = (await readEpoch(url)) ?? (await getHead(url, '0x0')).hash
    },
    save: async () => {},
    stop: async () => {},
  }
}

export class WrongChain extends Error {
  override readonly name = 'WrongChain'
}
