import type { RpcTransaction } from 'viem'
import { formatTransaction, keccak256, recoverAddress, serializeTransaction } from 'viem/utils'
import { answered, type Rpc } from '../chain/rpc/rpc.ts'

/**
 * Whether a node shows the transaction of this hash, signed by this key. Whoever has not got the key cannot make one
 * up. False of what is put into blocks without a signature, as some chains do with their own.
 */
export const isSignedBy = async (rpc: Rpc, hash: string, address: string): Promise<boolean> => {
  const [answer] = await rpc.batch([{ method: 'eth_getTransactionByHash', params: [hash] }])
  const shown = answered(answer)
  if (typeof shown !== 'object' || shown === null) return false
  try {
    const { r, s, v, yParity, input, ...sent } = formatTransaction(shown as Partial<RpcTransaction>)
    const unsigned = { ...sent, data: input }
    if (keccak256(serializeTransaction(unsigned, { r, s, v, yParity })) !== hash) return false
    // Of the oldest type it is hidden in what says for which chain it was signed: 27, or 35 and twice the chain's number.
    const signature = { r, s, yParity: yParity ?? Number(v % 2n === 0n) }
    const signer = await recoverAddress({ hash: keccak256(serializeTransaction(unsigned)), signature })
    return signer.toLowerCase() === address
  } catch {
    // It has not got the shape of one.
    return false
  }
}
