import type { RpcTransaction } from 'viem'
import { formatTransaction, keccak256, parseTransaction, recoverAddress, serializeTransaction } from 'viem/utils'
import { type Rpc, resultOf } from '../chain/rpc/rpc.ts'

type Signed = {
  readonly address: string
  readonly nonce: number
  readonly chainId: number
}

/**
 * Whether a node shows the transaction of this hash, signed by this key for this number on this chain. Whoever has not
 * got the key cannot make one up. False of what is put into blocks without a signature, as some chains do with their
 * own, and of the oldest type where it was signed for no chain, and so may be another chain's.
 *
 * Only what the signature covers counts, so all of it is read from the bytes themselves: what a node tells beside
 * them costs it nothing.
 */
export const isSignedBy = async (rpc: Rpc, hash: string, signed: Signed): Promise<boolean> =>
  (await findSigned(rpc, hash, signed)) !== undefined

/** What a transaction does, as its signature covers it. */
export type SignedContent = { readonly to: string | null; readonly value: bigint; readonly input: string }

/** What it does, under the same conditions; undefined where one is not met. */
export const findSigned = async (
  rpc: Rpc,
  hash: string,
  { address, nonce, chainId }: Signed,
): Promise<SignedContent | undefined> => {
  const [answer] = await rpc.batch([{ method: 'eth_getTransactionByHash', params: [hash] }])
  const shown = resultOf(answer)
  if (typeof shown !== 'object' || shown === null) return undefined
  try {
    const { r, s, v, yParity, input, ...sent } = formatTransaction(shown as Partial<RpcTransaction>)
    const bytes = serializeTransaction({ ...sent, data: input }, { r, s, v, yParity })
    if (keccak256(bytes) !== hash) return undefined
    const { r: rOf, s: sOf, v: _, yParity: parity, ...signed } = parseTransaction(bytes)
    if ((signed.nonce ?? 0) !== nonce || signed.chainId !== chainId) return undefined
    // Anybody can turn a signature over, which gives the same transaction another hash; chains take only this half.
    if (rOf === undefined || sOf === undefined || parity === undefined || BigInt(sOf) > HALF_ORDER) return undefined
    const signature = { r: rOf, s: sOf, yParity: parity }
    const signer = await recoverAddress({ hash: keccak256(serializeTransaction(signed)), signature })
    if (signer.toLowerCase() !== address) return undefined
    return { to: signed.to?.toLowerCase() ?? null, value: signed.value ?? 0n, input: signed.data ?? '0x' }
  } catch {
    // It has not got the shape of one.
    return undefined
  }
}

/** Half of the order of secp256k1. */
const HALF_ORDER = 0x7fffffff_ffffffff_ffffffff_ffffffff_5d576e73_57a4501d_dfe92f46_681b20a0n
