import type { BrowserContext } from 'playwright-core'
import type { RefundsServer } from './refunds-server.ts'

export type WalletQuestion = { readonly method: string; readonly params?: readonly unknown[] }
type Answering = (question: WalletQuestion, usual: () => Promise<unknown>) => Promise<unknown>

/** A wallet in the browser that passes requests to `askWallet`. Errors keep their code, as with real wallets. */
const provider = `
  const provider = { request: async question => {
    const answer = await window.askWallet(question)
    if (answer.code === undefined) return answer.result
    throw Object.assign(new Error(answer.message), { code: answer.code })
  } }`
/** It announces itself by EIP-6963. */
export const announcing = `${provider}
  const announce = () => dispatchEvent(new CustomEvent('eip6963:announceProvider',
    { detail: { info: { uuid: 'lamp', name: 'Lamp Wallet' }, provider } }))
  addEventListener('eip6963:requestProvider', announce)`
/** It is in window.ethereum. */
export const inWindow = `${provider}
  window.ethereum = provider`

/** The error of a wallet. */
export class WalletError extends Error {
  readonly code: number
  constructor(code: number, message = 'no') {
    super(message)
    this.code = code
  }
}

/** A wallet with an account of the test chain, which really sends. `methods` has the methods of its requests. */
export const openWallet = async (
  { on }: RefundsServer,
  context: BrowserContext,
  answering: Answering = (_, usual) => usual(),
) => {
  const [account = ''] = await on.chain.rpc<string[]>('eth_accounts')
  const wallet = { chainId: '0x7a69', methods: [] as string[], sent: [] as string[], transactions: [] as object[] }
  const usual = async ({ method, params = [] }: WalletQuestion): Promise<unknown> => {
    if (method === 'eth_requestAccounts') return [account]
    if (method === 'eth_chainId') return wallet.chainId
    if (method === 'wallet_switchEthereumChain') {
      wallet.chainId = (params[0] as { chainId: string }).chainId
      return null
    }
    if (method !== 'eth_sendTransaction') throw new WalletError(4200, 'not supported')
    wallet.transactions.push(params[0] as object)
    const hash = await on.send(params[0] as object)
    wallet.sent.push(hash)
    return hash
  }
  await context.exposeFunction('askWallet', async (question: WalletQuestion) => {
    wallet.methods.push(question.method)
    try {
      return { result: await answering(question, () => usual(question)) }
    } catch (error) {
      return { code: error instanceof WalletError ? error.code : -32000, message: String(error) }
    }
  })
  return wallet
}
