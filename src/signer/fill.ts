import { keccak256 } from 'viem/utils'
import { requireAddress } from '../chain/address.ts'
import type { Ask } from '../chain/rpc/ask.ts'
import { capFees, readFees } from '../chain/rpc/fees.ts'
import type { Signer } from '../queries/refund-signers.ts'
import { keepFiller, type OpenNonce } from '../queries/signer-nonces.ts'
import type { SigningDesk } from './desk.ts'
import { accountOf } from './key.ts'
import { nextFees } from './offer.ts'
import { transactionRow } from './rows.ts'
import { broadcastSigned } from './send.ts'

type Gap = {
  readonly signer: Signer
  readonly nonce: number
  /** What was signed for it and is in no block. */
  readonly open?: OpenNonce
}

/**
 * Uses up a number that the chain waits for and nobody has, by a transfer of nothing to the signer itself: whatever
 * was signed for higher ones would wait for ever. It is in the books before any node has it, as all else is.
 */
export const fillNonce = async (desk: SigningDesk, ask: Ask, { signer, nonce, open }: Gap): Promise<void> => {
  const account = accountOf(desk.keyring, signer)
  if (!account) return
  const chainId = Number(signer.chain_id)
  const gas = 21_000n
  const fees = open ? await nextFees(desk, ask, { signer, open, gas, value: 0n }) : capFees(await readFees(ask))
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
  if (!(await keepFiller(desk.sql, transactionRow(filler).row))) return
  if (!open) desk.log.warn({ chain: chainId, signer: signer.address, nonce }, 'nonce gap filled')
  await broadcastSigned(desk, ask, filler)
}
