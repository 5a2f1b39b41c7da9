import { blockAt, isBlock } from '../rpc/block.ts'
import { readBytes, toQuantity } from '../rpc/hex.ts'
import { type Answer, agreedOn, answered, type Call, type Rpc, RpcFault, RpcRefusal } from '../rpc/rpc.ts'
import type { Cursor } from './books.ts'
import { LIMIT_EXCEEDED, toldOrGone } from './coins/states.ts'

export type TokenRiseSource = {
  /**
   * By how much a token says that an address holds more after a block than before it, as two nodes agree; where the states
   * are gone, what it holds now. Undefined while they do not agree, and 0 where the token does not say.
   */
  tokenRise(token: string, address: string, block: Cursor): Promise<bigint | undefined>
}

export const openTokenRise = (rpc: Rpc): TokenRiseSource => ({
  tokenRise: async (token, address, block) => {
    const at = (place: object | string) => holdingCall(token, address, place)
    const calls = [blockAt(block.number), at({ blockHash: block.hash }), at(toQuantity(block.number - 1))]
    const rise = () =>
      rpc.agreed(calls, ([header, after, before]) => {
        if (!isBlock(answered(header), block)) throw new RpcFault('behind')
        return holdingIn(after) - holdingIn(before)
      })
    const now = () => rpc.agreed([at('latest')], ([held]) => holdingIn(held))
    try {
      const told = await toldOrGone(rise, now)
      return agreedOn(told === 'gone' ? await now() : told)
    } catch (error) {
      // Nodes that are asked too often say nothing of the token. One that cannot be asked at all is not to be believed.
      if (!(error instanceof RpcRefusal) || error.code === LIMIT_EXCEEDED) throw error
      return 0n
    }
  },
})

const BALANCE_OF = '0x70a08231'

/** With little gas: a token that eats it keeps no chain from being read on. */
const holdingCall = (token: string, address: string, place: object | string): Call => ({
  method: 'eth_call',
  params: [{ to: token, data: `${BALANCE_OF}${address.slice(2).padStart(64, '0')}`, gas: toQuantity(200_000) }, place],
})

const holdingIn = (answer: Answer): bigint => {
  const word = readBytes(answered(answer), 'what a token says')
  return word.length === 66 ? BigInt(word) : 0n
}
