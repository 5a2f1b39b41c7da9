import { ApiError } from '../../api/request.ts'
import { WalletProblem } from '../../wallets/wallet-steps.ts'
import { findChain } from '../shell/chains.ts'
import type { RefundTexts } from './texts.ts'

/** What a wallet has refused, or was refused for, in a sentence. */
export const walletWords = (problem: unknown, { wallet }: RefundTexts, chainId: number): string => {
  if (problem instanceof ApiError) return wallet.unreachable
  if (!(problem instanceof WalletProblem)) return wallet.defect
  const { title, values } = problem.problem
  const message = values?.message ?? ''
  const network = findChain(chainId)?.network ?? String(chainId)
  const words: Readonly<Record<string, string>> = {
    declined: wallet.declined,
    busy: wallet.busy,
    noAccount: wallet.noAccount,
    onOther: wallet.onOther(network),
    unknownChain: wallet.unknownChain(network, chainId),
    uncertain: wallet.uncertain(message),
    changed: wallet.changed,
    askedElsewhere: wallet.askedElsewhere,
  }
  return words[title] ?? wallet.walletFailed(message)
}
