import type { BrowserContext } from 'playwright-core'
import { callNode } from '../../../src/sandbox/node-client.ts'
import type { PayServer } from './pay-server.ts'

export type WalletRequest = { readonly method: string; readonly params?: readonly unknown[] }

/** What a wallet throws (EIP-1193). */
export class ProviderError extends Error {
  readonly code: number
  constructor(code: number, message = 'refused') {
    super(message)
    this.code = code
  }
}

export type FakeWallet = {
  readonly name: string
  /** An account of the node, which has its key. */
  account: string
  chainId: number
  /** The methods that it was asked, in order. */
  readonly asked: string[]
  readonly sent: Readonly<Record<string, string>>[]
  /** Answers instead of the wallet; undefined leaves the question to it. */
  answer: (request: WalletRequest) => unknown
  /** The wallet tells the page that its network is another one now. */
  tellChain(): Promise<void>
}

/** Wallets of a browser that announce themselves (EIP-6963) and pass everything on to the node of the sandbox. */
export const addWallets = async (
  { sandbox }: PayServer,
  context: BrowserContext,
  wallets: readonly { readonly name: string; readonly account: string; readonly chainId?: number }[],
): Promise<readonly FakeWallet[]> => {
  const fakes = wallets.map(({ name, account, chainId = 31337 }): FakeWallet => {
    const tellChain = async () => {
      for (const page of context.pages())
        await page.evaluate(`window.tellChain(${JSON.stringify(name)}, '0x${fake.chainId.toString(16)}')`)
    }
    const fake: FakeWallet = {
      ...{ name, account, chainId, asked: [], sent: [], answer: () => undefined, tellChain },
    }
    return fake
  })
  const usual = async (fake: FakeWallet, { method, params = [] }: WalletRequest): Promise<unknown> => {
    if (method === 'eth_requestAccounts') return [fake.account]
    if (method === 'eth_chainId') return `0x${fake.chainId.toString(16)}`
    if (method === 'wallet_switchEthereumChain') {
      fake.chainId = Number((params[0] as { chainId: string }).chainId)
      return null
    }
    if (method === 'eth_sendTransaction') {
      fake.sent.push(params[0] as Record<string, string>)
      using _busy = sandbox.keepMining()
      return callNode(sandbox.url, method, params[0])
    }
    return callNode(sandbox.url, method, ...params)
  }
  await context.exposeFunction('askWallet', async (name: string, request: WalletRequest) => {
    const fake = fakes.find(each => each.name === name)
    if (!fake) throw new Error(`There is no wallet ${name}`)
    fake.asked.push(request.method)
    try {
      const own = await fake.answer(request)
      return { result: own === undefined ? await usual(fake, request) : own }
    } catch (error) {
      return { code: error instanceof ProviderError ? error.code : -32603, message: String(error) }
    }
  })
  await context.addInitScript(`{
    const listeners = new Map()
    window.tellChain = (name, chainId) => { for (const each of listeners.get(name) ?? []) each(chainId) }
    for (const name of ${JSON.stringify(fakes.map(({ name }) => name))}) {
      const provider = {
        request: async asked => {
          const answer = await window.askWallet(name, asked)
          if (answer.code === undefined) return answer.result
          throw Object.assign(new Error(answer.message), { code: answer.code })
        },
        on: (event, listener) => { if (event === 'chainChanged') listeners.set(name, [...(listeners.get(name) ?? []), listener]) },
      }
      const icon = 'data:image/svg+xml,%3Csvg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 20"%3E%3Crect width="20" height="20" rx="5" fill="%23e2761b"/%3E%3C/svg%3E'
      const detail = { info: { uuid: name, name, icon, rdns: 'example.wallet' }, provider }
      const announce = () => dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }))
      addEventListener('eip6963:requestProvider', announce)
      announce()
    }
  }`)
  return fakes
}
