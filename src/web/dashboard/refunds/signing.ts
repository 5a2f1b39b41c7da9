import { signal } from '@preact/signals'
import type { RefundWithAttention } from '../../api/calls.ts'
import { unlessInOtherTab } from '../../api/tabs.ts'
import { askForAccount, fail, type Provider, sendTransaction, WalletProblem } from '../../wallets/wallet-steps.ts'
import { hexNumber, putOnChain } from '../shell/browser-wallets.ts'
import { eraseNote, readNote, writeNote } from './notes.ts'

/** What the wallet of a refund does, or has refused. */
export type Signing =
  | { readonly phase: 'connecting' }
  | { readonly phase: 'confirming'; readonly isKept: boolean }
  /** The wallet was not asked, or has sent nothing, or it is not known what it did. */
  | { readonly phase: 'troubled'; readonly problem: unknown }

const signings = signal<ReadonlyMap<string, Signing>>(new Map())

/** Of a refund. It outlives the page of the refund: the wallet may answer after the page was left. */
export const signingOf = (id: string): Signing | undefined => signings.value.get(id)

export const isAsking = (id: string): boolean => {
  const phase = signingOf(id)?.phase
  return phase === 'connecting' || phase === 'confirming'
}

const setSigning = (id: string, signing: Signing | undefined): void => {
  const changed = new Map(signings.value)
  if (signing) changed.set(id, signing)
  else changed.delete(id)
  signings.value = changed
}

/** What the wallet has refused is of no interest any more. */
export const forgetTrouble = (id: string): void => {
  if (signingOf(id)?.phase === 'troubled') setSigning(id, undefined)
}

// If the page were closed now, it would not receive the hash.
addEventListener('beforeunload', event => {
  if ([...signings.value.keys()].some(isAsking)) event.preventDefault()
})

type Signable = {
  readonly provider: Provider
  readonly refund: RefundWithAttention
  /** Reads the refund as it is now. */
  readonly read: () => Promise<RefundWithAttention>
}

/**
 * Asks a wallet to pay a refund. The note is written before the wallet is asked. It is erased only if nothing was sent for
 * certain; with a hash it stays until the server knows the hash.
 */
export const signByWallet = async ({ provider, refund, read }: Signable): Promise<void> => {
  const { id } = refund
  if (isAsking(id)) return
  setSigning(id, { phase: 'connecting' })
  try {
    // Another tab sees a new note only a moment later, so a lock is needed as well.
    await unlessAskedElsewhere(id, () => askWallet({ provider, refund, read }))
    setSigning(id, undefined)
  } catch (problem) {
    setSigning(id, { phase: 'troubled', problem })
  }
}

/** The member has checked the wallet: nothing was sent, so the refund can be signed again. */
export const signAgain = async (id: string): Promise<void> => {
  try {
    await unlessAskedElsewhere(id, async () => eraseNote(id))
    forgetTrouble(id)
  } catch (problem) {
    setSigning(id, { phase: 'troubled', problem })
  }
}

const unlessAskedElsewhere = (id: string, work: () => Promise<void>): Promise<void> =>
  unlessInOtherTab(`refund ${id}`, work, () => fail('askedElsewhere'))

const askWallet = async ({ provider, refund, read }: Signable): Promise<void> => {
  const { id, merchantId, unsignedTransaction, crypto } = refund
  if (unsignedTransaction === null) return
  const account = await askForAccount(provider)
  await putOnChain(provider, crypto.chainId)
  const latest = await read()
  // It was paid in another tab, or by another member.
  if (readNote(id) || JSON.stringify(latest.unsignedTransaction) !== JSON.stringify(unsignedTransaction))
    return fail('changed')
  const note = { merchantId, at: new Date().toISOString(), hash: null }
  setSigning(id, { phase: 'confirming', isKept: writeNote(id, note) })
  const { chainId, to, data, value } = unsignedTransaction
  const transaction = { from: account, to, data, value: hexNumber(value), chainId: hexNumber(chainId) }
  try {
    const hash = await sendTransaction(provider, transaction, NOT_SENT)
    writeNote(id, { ...note, hash: hash.toLowerCase() })
  } catch (error) {
    if (!isUncertain(error)) eraseNote(id)
    throw error
  }
}

/** Whether the transaction may have been sent. */
const isUncertain = (error: unknown): boolean =>
  !(error instanceof WalletProblem) || error.problem.title === 'uncertain'

/** Error codes that prove that nothing was sent: not authorized, not supported, or invalid. */
const NOT_SENT = [4100, 4200, -32601, -32602]
