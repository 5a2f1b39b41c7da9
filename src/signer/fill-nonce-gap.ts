import { keccak256 } from 'viem/utils'
import { requireAddress } from '../chain/address.ts'
import type { Ask } from '../chain/rpc/ask.ts'
import { capFees, readFees } from '../chain/rpc/fees.ts'
import type { Signer } from '../queries/refund-signers.ts'
import { insertGapTransaction, type OpenNonce } from '../queries/signer-nonces.ts'
import { accountOf } from './key.ts'
import { nextFees } from './next-fees.ts'
import { transactionRow } from './rows.ts'
import { broadcastSigned } from './send.ts'
import type { SigningServices } from './signing-services.ts'

type Gap = {
  readonly signer: Signer
  readonly nonce: number
  /** Its signed transactions, none of which is mined. */
  readonly open?: OpenNonce
}

/**
 * Fills a nonce gap by a transfer of 0 to the signer itself: without it, transactions with higher nonces would never be
 * mined. The transaction is recorded before it is sent, like all others.
 */
export const fillNonceGap = async (
  services: SigningServices,
  ask: Ask,
  { signer, nonce, open }: Gap,
): Promise<void> => {
  const account = accountOf(services.keyring, signer)
  if (!account) return
  const chainId = Number(signer.chain_id)
  const gas = 21_000n
  const fees = open ? await nextFees(services, ask, { signer, open, gas, value: 0n }) : capFees(await readFees(ask))
  if (!fees) return
  const raw = await account.signTransaction({
    chainId,
    nonce,
    gas,
    to: requireAddress(signer.address),
    value: 0n,
    ...fees,
  })
  const attempt = (open?.attempts.at(-1)?.attempt ?? 0) + 1
  const filler = { signerId: signer.id, chainId, nonce, attempt, raw, hash: keccak256(raw), gas, fees }
  if (!(await insertGapTransaction(services.sql, transactionRow(filler).row))) return
  if (!open) services.log.warn({ chain: chainId, signer: signer.address, nonce }, 'nonce gap filled')
  await broadcastSigned(services, ask, filler)
}
