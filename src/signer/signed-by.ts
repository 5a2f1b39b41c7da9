import type { RpcTransaction } from 'viem'
import { formatTransaction, keccak256, parseTransaction, recoverAddress, serializeTransaction } from 'viem/utils'
import { type Rpc, resultOf } from '../chain/rpc/rpc.ts'

type Signed = {
  readonly address: string
  readonly nonce: number
  readonly chainId: number
}

/**
 * Whether a node shows the transaction with this hash, signed by this key with this nonce for this chain. Without the
 * key such a transaction cannot be invented. Returns false for transactions without a signature, which some chains
 * include, and for legacy transactions without a chain id, which may belong to another chain.
 *
 * Everything is read from the signed bytes, because a node could invent the other fields.
 */
export const isSignedBy = async (rpc: Rpc, hash: string, signed: Signed): Promise<boolean> =>
  (await findSigned(rpc, hash, signed)) !== undefined

/** The signed content of a transaction. */
export type SignedContent = { readonly to: string | null; readonly value: bigint; readonly input: string }

/** Returns the signed content under the same conditions, otherwise undefined. */
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
    // Anyone can change a signature to its high-s form, which gives the transaction another hash. Chains accept only
    // low s.
    if (rOf === undefined || sOf === undefined || parity === undefined || BigInt(sOf) > HALF_ORDER) return undefined
    const signature = { r: rOf, s: sOf, yParity: parity }
    const signer = await recoverAddress({ hash: keccak256(serializeTransaction(signed)), signature })
    if (signer.toLowerCase() !== address) return undefined
    return { to: signed.to?.toLowerCase() ?? null, value: signed.value ?? 0n, input: signed.data ?? '0x' }
  } catch {
    // It does not have the format of a transaction.
    return undefined
  }
}

/** Half of the order of secp256k1. */
const HALF_ORDER = 0x7fffffff_ffffffff_ffffffff_ffffffff_5d576e73_57a4501d_dfe92f46_681b20a0n
