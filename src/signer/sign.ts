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
import { findUnsigned, postponeSigning, type WaitReason } from '../queries/signing.ts'
import { accountOf } from './key.ts'
import type { NamedLocks } from './named-locks.ts'
import { noAnswerOrThrow } from './no-answer.ts'
import { planFor, type SigningPlan, transferOfRefund } from './plan.ts'
import { nonceRow, type SignedTransaction, transactionRow } from './rows.ts'
import { fundSandboxWallet } from './sandbox-wallet.ts'
import { broadcastSigned } from './send.ts'
import { isOfSandbox, signerFor } from './signer-for.ts'
import type { SigningServices } from './signing-services.ts'

/** The timeout for a chain that does not answer. */
const TIMEOUT_MS = 15_000
/** Each failed attempt means that another process has taken the nonce, so there is always progress. */
const MAX_TRIES = 100

/**
 * Signs a refund and sends the transaction, if its merchant has a signer. The nonce, the signed bytes and the refund's
 * `transaction_sent` are one commit, and nothing is sent before it: after a crash another process sends the same bytes.
 * Safe to run twice, also in parallel.
 */
export const signRefund = async (services: SigningServices, locks: NamedLocks, refundId: string): Promise<void> => {
  const found = await findUnsigned(services.sql, refundId)
  const connected = found && services.chains.find(found.refund.context.chainId)
  if (!connected) return
  const { refund, isDue } = found
  const { merchantId, chainId, destination } = refund.context
  const signer = await signerFor(services, refund.context)
  if (!signer) return
  if (refund.state === 'processing') return sendAgain(services, connected, signer, refundId)
  if (refund.state !== 'requires_signature' || destination === null || !isDue) return

  let fault: unknown
  // One at a time for each signer: in parallel they would use the same nonce, and all but one would fail.
  const reason = await locks(`${merchantId} ${chainId}`, () =>
    signInTurn(services, connected, signer, refund)
      .catch(noAnswerOrThrow)
      // An error with one refund must not block others, and is not retried at every check.
      .catch((err): WaitReason => {
        fault = err
        return 'fault'
      }),
  )
  if (typeof reason !== 'string' || !(await postponeSigning(services.sql, { refundId, signerId: signer.id, reason })))
    return
  const logged = { refund: encodeId('re', refundId), chain: chainId, signer: signer.address, reason }
  const action = actions[reason]
  if (reason === 'fault') services.log.error({ ...logged, err: fault }, 'refund not signed, signing failed')
  else services.log.warn({ ...logged, ...(action && { action }) }, 'refund not signed')
}

/** What an operator has to do. The other reasons end by themselves. */
const actions: Readonly<Partial<Record<WaitReason, string>>> = {
  no_gas: 'send native currency to the signer',
  no_funds: 'send the asset of the refund to the signer',
  nonce_ahead: 'stop the other program that sends with the signer key, then remove and add the signer',
  unreadable_key: 'start with the SECRET_KEY that encrypted the signer key',
  on_hold: 'bun run admin signer release',
  over_refund_limit: 'have the merchant sign the refund',
  over_day_limit: 'have the merchant sign the refund',
}

const signInTurn = async (
  services: SigningServices,
  { chain, rpc }: ConnectedChain,
  signer: Signer,
  refund: Actor<Refund>,
): Promise<WaitReason | undefined> => {
  const account = accountOf(services.keyring, signer)
  if (!account) return 'unreadable_key'
  const ask = withinTime(rpc, TIMEOUT_MS)
  let filled = false
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const plan = await planFor(services, { rpc, ask }, { signer, account, refund })
    if (plan === 'off') return undefined
    if (typeof plan === 'string') {
      const isPoor = plan === 'no_gas' || plan === 'no_funds'
      if (!isPoor || filled || !services.sandbox || !isOfSandbox(services, chain.id)) return plan
      filled = true
      await fundSandboxWallet(services.sandbox, account.address, refund.context)
      continue
    }
    await services.onStep?.('allocated')
    const signed = await signTransfer(account, { ...plan, refund, signerId: signer.id, chainId: chain.id })
    await services.onStep?.('signed')
    const outcome = await services.actors.dispatch({
      ...{ kind: 'refund', actor: refund.id, cause: `signer:${signer.address}` },
      event: { type: 'transaction_sent', txHash: signed.hash },
      rows: [nonceRow(signed, refund.id), transactionRow(signed)],
    })
    if (outcome.ok) {
      await services.onStep?.('stored')
      await broadcastSigned(services, withinTime(rpc, TIMEOUT_MS), signed)
      return undefined
    }
    const reason = reasonOf(outcome)
    if (reason !== 'again') return reason
  }
  return 'no_answer'
}

/** `again`: another process has taken the nonce. Undefined: the refund was canceled or sent in the meantime. */
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

/** The process that signed it may have ended before it was sent. */
const sendAgain = async (
  services: SigningServices,
  { chain, rpc }: ConnectedChain,
  signer: Signer,
  refundId: string,
): Promise<void> => {
  const [open] = await listOpenNonces(services.sql, { signerId: signer.id, refundId }, 1)
  const latest = open?.attempts.at(-1)
  if (!open || !latest) return
  const { nonce } = open
  const signed = { signerId: signer.id, chainId: chain.id, nonce, raw: latest.raw, hash: latest.txHash satisfies Hex }
  await broadcastSigned(services, withinTime(rpc, TIMEOUT_MS), signed).catch(noAnswerOrThrow)
}
