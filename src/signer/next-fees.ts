import { type Ask, getBigint } from '../chain/rpc/ask.ts'
import { capFees, type Fees, feesOf, maxFeeOf, raiseFees, readFees } from '../chain/rpc/fees.ts'
import type { Signer } from '../queries/refund-signers.ts'
import type { OpenNonce } from '../queries/signer-nonces.ts'
import type { SigningServices } from './signing-services.ts'
import { warnOnce } from './warn-once.ts'

/** Ten attempts reach three times the fee. If none of them is mined, the fee is not the problem. */
const MAX_ATTEMPTS = 10

type Offered = {
  readonly signer: Signer
  readonly open: OpenNonce
  readonly gas: bigint
  /** The amount that it sends in native currency. */
  readonly value: bigint
}

/**
 * The fees of the next attempt with a nonce; undefined if no new attempt should be signed. Fees are raised above those
 * of attempts that a node accepted: others need not be outbid. An attempt is not signed if the balance does not
 * suffice, or if an attempt that is already signed offers enough.
 */
export const nextFees = async (
  services: SigningServices,
  ask: Ask,
  { signer, open, gas, value }: Offered,
): Promise<Fees | undefined> => {
  const taken = open.attempts.filter(each => each.isTaken)
  if (taken.length >= MAX_ATTEMPTS) {
    const action = `check the nodes in RPC_URLS_${signer.chain_id}`
    warnOnce(services, signer, { nonce: open.nonce, action }, 'refund transaction not replaced, attempt limit reached')
    return undefined
  }
  const now = capFees(await readFees(ask))
  const last = taken.at(-1)
  const fees = last ? raiseFees(feesOf(last.maxFee, last.tip), now) : now
  const native = await getBigint(ask, 'eth_getBalance', [signer.address, 'latest'])
  const isPaid = (fee: bigint) => value + gas * fee <= native
  if (!isPaid(maxFeeOf(fees))) {
    const action = 'send native currency to the signer'
    warnOnce(services, signer, { nonce: open.nonce, action }, 'refund transaction not replaced, signer balance too low')
    return undefined
  }
  const isSigned = open.attempts.some(each => !each.isTaken && each.maxFee >= maxFeeOf(fees) && isPaid(each.maxFee))
  return isSigned ? undefined : fees
}
