import { amountText, balanceData, hex, type PayOrder, transferRequest } from './transfer.ts'

/** A wallet of the browser (EIP-1193). */
export type Provider = {
  request(asked: { readonly method: string; readonly params?: readonly unknown[] }): Promise<unknown>
  on?(event: string, listener: (value: unknown) => void): void
}

/** What a wallet is refused for, or refuses: the names of sentences of the page, with their values. */
export type WalletNotice = {
  readonly title: string
  readonly hint: string
  readonly values?: Readonly<Record<string, string>>
  readonly tone: 'warn' | 'bad'
  /** The wallet is on another network, and may be asked to switch. */
  readonly canSwitch?: true
}

export class WalletProblem extends Error {
  readonly problem: WalletNotice
  constructor(problem: WalletNotice) {
    super(problem.title)
    this.problem = problem
  }
}

const fail = (name: string, more: Partial<WalletNotice> = {}): never => {
  throw new WalletProblem({ title: name, hint: `${name}Hint`, tone: 'bad', ...more })
}

/** Wallets that are asked for an account, which may open a window of theirs. */
export const askForAccount = async (provider: Provider): Promise<string> => {
  const accounts = await ask(provider, 'eth_requestAccounts')
  const [account] = Array.isArray(accounts) ? accounts : []
  return typeof account === 'string' && isAddress(account) ? account : fail('noAccount', { tone: 'warn' })
}

/**
 * Throws unless the wallet is on the network of the payment and has enough money. A wallet that names the right network and
 * is on another one is found by a block that both sides must know, and by the contract of the token.
 */
export const checkWallet = async (provider: Provider, order: PayOrder, account: string): Promise<void> => {
  await requireChain(provider, order)
  await requireBlocks(provider, order)
  const balance = await findBalance(provider, order, account)
  if (balance !== undefined && balance < BigInt(order.units))
    fail('tooLittle', { tone: 'warn', values: { balance: amountText(balance, order) } })
}

const requireChain = async (provider: Provider, { chainId }: PayOrder): Promise<void> => {
  const current = Number(await ask(provider, 'eth_chainId'))
  if (current === chainId) return
  fail('onOther', { tone: 'warn', canSwitch: true, values: { current: networkNames[current] ?? '' } })
}

const requireBlocks = async (provider: Provider, { anchor, token }: PayOrder): Promise<void> => {
  const block = anchor && (await tryAsk(provider, 'eth_getBlockByNumber', [hex(anchor.number), false]))
  if (block) {
    const { hash } = Object(block)
    if (String(hash).toLowerCase() !== anchor.hash.toLowerCase()) fail('lying')
    return
  }
  // Its node is behind, or does not know old blocks.
  const code = token === null ? undefined : await tryAsk(provider, 'eth_getCode', [token, 'latest'])
  if (code === '0x') fail('lying')
}

const findBalance = async (provider: Provider, { token }: PayOrder, account: string): Promise<bigint | undefined> => {
  const found =
    token === null
      ? await tryAsk(provider, 'eth_getBalance', [account, 'latest'])
      : await tryAsk(provider, 'eth_call', [{ to: token, data: balanceData(account) }, 'latest'])
  return typeof found === 'string' && /^0x[0-9a-f]+$/i.test(found) ? BigInt(found) : undefined
}

/** Makes the wallet change its network, and adds the network to a wallet that does not know it. */
export const switchChain = async (provider: Provider, order: PayOrder): Promise<void> => {
  const chainId = hex(order.chainId)
  try {
    await provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId }] })
  } catch (error) {
    if (codeOf(error) !== UNKNOWN_CHAIN) throw problemOf(error)
    if (order.rpcUrl === null) return fail('unknownChain', { tone: 'warn' })
    const chain = {
      chainId,
      chainName: order.network,
      nativeCurrency: { name: order.native, symbol: order.native, decimals: 18 },
      rpcUrls: [order.rpcUrl],
      ...(order.explorerUrl !== null && { blockExplorerUrls: [order.explorerUrl] }),
    }
    await ask(provider, 'wallet_addEthereumChain', [chain])
    await ask(provider, 'wallet_switchEthereumChain', [{ chainId }])
  }
}

/** The hash of the transaction. The network is checked once more: it may have changed while the customer was reading. */
export const sendTransfer = async (provider: Provider, order: PayOrder, account: string): Promise<string> => {
  await requireChain(provider, order)
  const request = transferRequest(order, account)
  let hash: unknown
  try {
    hash = await provider.request({ method: 'eth_sendTransaction', params: [request] })
  } catch (error) {
    throw problemOf(error, 'sending')
  }
  if (typeof hash !== 'string' || !/^0x[0-9a-f]{64}$/i.test(hash)) return fail('uncertain', { tone: 'warn' })
  return hash
}

/** Whether the wallet has sent what it was asked to send. A wallet that does not answer is trusted. */
export const isAsAsked = async (
  provider: Provider,
  order: PayOrder,
  account: string,
  hash: string,
): Promise<boolean> => {
  const sent = await tryAsk(provider, 'eth_getTransactionByHash', [hash])
  if (!sent) return true
  const { from, to, input, data, value, chainId } = Object(sent)
  const asked = transferRequest(order, account)
  const same = (one: unknown, other: string) => String(one).toLowerCase() === other.toLowerCase()
  return (
    same(from, asked.from) &&
    same(to, asked.to) &&
    same(input ?? data ?? '0x', asked.data) &&
    BigInt(value ?? 0) === BigInt(asked.value) &&
    (chainId === undefined || chainId === null || Number(chainId) === order.chainId)
  )
}

const ask = async (provider: Provider, method: string, params: readonly unknown[] = []): Promise<unknown> => {
  try {
    return await provider.request({ method, params })
  } catch (error) {
    throw problemOf(error)
  }
}

/** Undefined if the wallet does not answer that: it is not asked for more than it can do. */
const tryAsk = async (provider: Provider, method: string, params: readonly unknown[]): Promise<unknown> => {
  try {
    return await provider.request({ method, params })
  } catch {
    return undefined
  }
}

const isAddress = (text: string): boolean => /^0x[0-9a-f]{40}$/i.test(text)

const UNKNOWN_CHAIN = 4902

/** Some wallets wrap the error of the network. */
const codeOf = (error: unknown): unknown => {
  const { code, data } = Object(error)
  return Object(Object(data).originalError).code ?? code
}

/** Errors after which a wallet has certainly sent nothing: refused by the customer, the wallet or the node. */
const REFUSED = [4100, 4200, 4900, 4901, -32000, -32003, -32602]

const problemOf = (error: unknown, when?: 'sending'): WalletProblem => {
  if (error instanceof WalletProblem) return error
  const code = codeOf(error)
  const make = (name: string, tone: WalletNotice['tone'] = 'warn') =>
    new WalletProblem({ title: name, hint: `${name}Hint`, tone })
  if (code === 4001) return make('declined', 'bad')
  if (code === -32002) return make('busy')
  if (when === 'sending' && !REFUSED.includes(Number(code))) return make('uncertain')
  return make('walletFailed', 'bad')
}

/** For the sentence that names the wrong network. */
const networkNames: Readonly<Record<number, string>> = {
  ...{ 1: 'Ethereum', 10: 'OP Mainnet', 56: 'BNB Smart Chain', 100: 'Gnosis', 137: 'Polygon', 324: 'ZKsync Era' },
  ...{ 8453: 'Base', 42161: 'Arbitrum One', 43114: 'Avalanche', 59144: 'Linea' },
  ...{
    31337: 'Sandbox',
    84532: 'Base Sepolia',
    421614: 'Arbitrum Sepolia',
    11155111: 'Sepolia',
    11155420: 'OP Sepolia',
  },
}
