import type { Hex, PrivateKeyAccount } from 'viem'
import { keccak256 } from 'viem/utils'
import type { Refund } from '../../machines/refund.ts'
import type { Refused } from '../actors/command.ts'
import type { Actor } from '../actors/kind.ts'
import type { ConnectedChain } from '../chain/enabled/connect.ts'
import { withinTime } from '../chain/rpc/ask.ts'
import { encodeId } from '../ids.ts'
import type { Signer } from '../queries/refund-signers.ts'
import { listOpenNonces } from '../queries/signer-nonces.ts'
import { findUnsigned, type WaitReason, waitToSign } from '../queries/signing.ts'
import type { SigningDesk } from './desk.ts'
import { accountOf } from './key.ts'
import type { NamedLocks } from './named-locks.ts'
import { planFor, type SigningPlan, transferOfRefund } from './plan.ts'
import { nonceRow, type SignedTransaction, transactionRow } from './rows.ts'
import { fillSandboxWallet } from './sandbox-wallet.ts'
import { broadcastSigned } from './send.ts'
import { isOfSandbox, signerFor } from './signer-for.ts'
import { unanswered } from './unanswered.ts'

/** A chain that says nothing for so long holds up its own refunds only. */
const TIMEOUT_MS = 15_000
/** Each try was in vain because another process had the number: somebody goes on every time. */
const MOST_TRIES = 100

/**
 * Signs a refund and sends what was signed, where its merchant has a signer for that. Number, signed bytes and the
 * refund's `transaction_sent` are one commit, and nothing is sent before it: whoever comes later, after whatever has
 * crashed, sends the same bytes. Safe to run twice, and at once.
 */
export const signRefund = async (desk: SigningDesk, turns: NamedLocks, refundId: string): Promise<void> => {
  const found = await findUnsigned(desk.sql, refundId)
  const connected = found && desk.chains.find(found.refund.context.chainId)
  if (!connected) return
  const { refund, isDue } = found
  const { merchantId, chainId, destination } = refund.context
  const signer = await signerFor(desk, refund.context)
  if (!signer) return
  if (refund.state === 'processing') return sendAgain(desk, connected, signer, refundId)
  if (refund.state !== 'requires_signature' || destination === null || !isDue) return

  let fault: unknown
  // Beside each other they would sign for one number, and all but one in vain.
  const reason = await turns(`${merchantId} ${chainId}`, () =>
    signInTurn(desk, connected, signer, refund)
      .catch(unanswered)
      // What is wrong with one refund must not keep others waiting, nor be tried at every look.
      .catch((err): WaitReason => {
        fault = err
        return 'fault'
      }),
  )
  if (typeof reason !== 'string' || !(await waitToSign(desk.sql, { refundId, signerId: signer.id, reason }))) return
  const told = { refund: encodeId('re', refundId), chain: chainId, signer: signer.address, reason }
  const action = actions[reason]
  if (reason === 'fault') desk.log.error({ ...told, err: fault }, 'refund not signed, signing failed')
  else desk.log.warn({ ...told, ...(action && { action }) }, 'refund not signed')
}

/** What an operator does about it; the other reasons end by themselves. */
const actions: Readonly<Partial<Record<WaitReason, string>>> = {
  no_gas: 'send native currency to the signer',
  no_coins: 'send the asset of the refund to the signer',
  nonce_ahead: 'stop the other program that sends with the signer key, then remove and add the signer',
  unreadable_key: 'start with the SECRET_KEY that encrypted the signer key',
  on_hold: 'bun run admin signer release',
  over_refund_limit: 'have the merchant sign the refund',
  over_day_limit: 'have the merchant sign the refund',
}

const signInTurn = async (
  desk: SigningDesk,
  { chain, rpc }: ConnectedChain,
  signer: Signer,
  refund: Actor<Refund>,
): Promise<WaitReason | undefined> => {
  const account = accountOf(desk.keyring, signer)
  if (!account) return 'unreadable_key'
  const ask = withinTime(rpc, TIMEOUT_MS)
  let filled = false
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const plan = await planFor(desk, { rpc, ask }, { signer, account, refund })
    if (plan === 'off') return undefined
    if (typeof plan === 'string') {
      const isPoor = plan === 'no_gas' || plan === 'no_coins'
      if (!isPoor || filled || !desk.sandbox || !isOfSandbox(desk, chain.id)) return plan
      filled = true
      await fillSandboxWallet(desk.sandbox, account.address, refund.context)
      continue
    }
    await desk.at?.('allocated')
    const signed = await signTransfer(account, { ...plan, refund, signerId: signer.id, chainId: chain.id })
    await desk.at?.('signed')
    const outcome = await desk.actors.dispatch({
      ...{ kind: 'refund', actor: refund.id, cause: `signer:${signer.address}` },
      event: { type: 'transaction_sent', txHash: signed.hash },
      rows: [nonceRow(signed, refund.id), transactionRow(signed)],
    })
    if (outcome.ok) {
      await desk.at?.('stored')
      await broadcastSigned(desk, withinTime(rpc, TIMEOUT_MS), signed)
      return undefined
    }
    const reason = reasonOf(outcome)
    if (reason !== 'again') return reason
  }
  return 'no_answer'
}

/** Another process had the number, or the refund is as it was not before: canceled, or sent by somebody else. */
const reasonOf = ({ constraint }: Refused): WaitReason | 'again' | undefined => {
  if (constraint === 'signer_nonces_open_once') return 'unsettled'
  if (constraint === 'signer_nonces_not_on_hold') return 'on_hold'
  return constraint === 'signer_nonces_pkey' ? 'again' : undefined
}

const signTransfer = async (
  account: PrivateKeyAccount,
  {
    refund,
    signerId,
    chainId,
    nonce,
    gas,
    fees,
  }: SigningPlan & { refund: Actor<Refund>; signerId: string; chainId: number },
): Promise<SignedTransaction> => {
  const raw = await account.signTransaction({
    chainId,
    nonce,
    gas,
    ...transferOfRefund(refund.id, refund.context),
    ...fees,
  })
  return { signerId, chainId, nonce, attempt: 1, raw, hash: keccak256(raw), gas, fees }
}

/** Whoever has signed it may have ended before it was sent. */
const sendAgain = async (
  desk: SigningDesk,
  { chain, rpc }: ConnectedChain,
  signer: Signer,
  refundId: string,
): Promise<void> => {
  const [open] = await listOpenNonces(desk.sql, { signerId: signer.id, refundId }, 1)
  const latest = open?.attempts.at(-1)
  if (!open || !latest) return
  const { nonce } = open
  const signed = { signerId: signer.id, chainId: chain.id, nonce, raw: latest.raw, hash: latest.txHash satisfies Hex }
  await broadcastSigned(desk, withinTime(rpc, TIMEOUT_MS), signed).catch(unanswered)
}
