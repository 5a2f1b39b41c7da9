import { type Ask, getBigint } from '../chain/rpc/ask.ts'
import { capFees, type Fees, feesOf, maxFeeOf, raiseFees, readFees } from '../chain/rpc/fees.ts'
import type { Signer } from '../queries/refund-signers.ts'
import type { OpenNonce } from '../queries/signer-nonces.ts'
import type { SigningDesk } from './desk.ts'
import { warnOnce } from './warn-once.ts'

/** Ten of them are three times the fee. A chain that takes none of these wants something else. */
const MOST_ATTEMPTS = 10

type Offered = {
  readonly signer: Signer
  readonly open: OpenNonce
  readonly gas: bigint
  /** What it sends in native currency. */
  readonly value: bigint
}

/**
 * The fees of the next attempt at a nonce; undefined while there is nothing to sign. Only attempts that a node took
 * count, and are outbid: what no node took replaces nothing. No attempt is signed that the balance does not pay for, nor
 * while one that is signed already would do.
 */
export const nextFees = async (
  desk: SigningDesk,
  ask: Ask,
  { signer, open, gas, value }: Offered,
): Promise<Fees | undefined> => {
  const taken = open.attempts.filter(each => each.isTaken)
  if (taken.length >= MOST_ATTEMPTS) {
    const action = `check the nodes in RPC_URLS_${signer.chain_id}`
    warnOnce(desk, signer, { nonce: open.nonce, action }, 'refund transaction not replaced, attempt limit reached')
    return undefined
  }
  const now = capFees(await readFees(ask))
  const last = taken.at(-1)
  const fees = last ? raiseFees(feesOf(last.maxFee, last.tip), now) : now
  const coins = await getBigint(ask, 'eth_getBalance', [signer.address, 'latest'])
  const isPaid = (fee: bigint) => value + gas * fee <= coins
  if (!isPaid(maxFeeOf(fees))) {
    const action = 'send native currency to the signer'
    warnOnce(desk, signer, { nonce: open.nonce, action }, 'refund transaction not replaced, signer balance too low')
    return undefined
  }
  const isSigned = open.attempts.some(each => !each.isTaken && each.maxFee >= maxFeeOf(fees) && isPaid(each.maxFee))
  return isSigned ? undefined : fees
}
