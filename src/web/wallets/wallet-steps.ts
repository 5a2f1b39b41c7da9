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

export const fail = (name: string, more: Partial<WalletNotice> = {}): never => {
  throw new WalletProblem({ title: name, hint: `${name}Hint`, tone: 'bad', ...more })
}

/** A network as a wallet must know it. */
export type WalletNetwork = {
  readonly chainId: number
  readonly network: string
  /** The symbol of its native currency. */
  readonly native: string
  /** A public node, which a wallet is given that does not know the network. */
  readonly rpcUrl: string | null
  readonly explorerUrl: string | null
}

/** Wallets that are asked for an account, which may open a window of theirs. */
export const askForAccount = async (provider: Provider): Promise<string> => {
  const accounts = await ask(provider, 'eth_requestAccounts')
  const [account] = Array.isArray(accounts) ? accounts : []
  return typeof account === 'string' && isAddress(account) ? account : fail('noAccount', { tone: 'warn' })
}

/** The network on which the wallet is. */
export const readChainId = async (provider: Provider): Promise<number> => Number(await ask(provider, 'eth_chainId'))

/** Makes the wallet change its network, and adds the network to a wallet that does not know it. */
export const switchChain = async (provider: Provider, wanted: WalletNetwork): Promise<void> => {
  const chainId = `0x${wanted.chainId.toString(16)}`
  try {
    await provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId }] })
  } catch (error) {
    if (codeOf(error) !== UNKNOWN_CHAIN) throw problemOf(error)
    if (wanted.rpcUrl === null) return fail('unknownChain', { tone: 'warn' })
    const chain = {
      chainId,
      chainName: wanted.network,
      nativeCurrency: { name: wanted.native, symbol: wanted.native, decimals: 18 },
      rpcUrls: [wanted.rpcUrl],
      ...(wanted.explorerUrl !== null && { blockExplorerUrls: [wanted.explorerUrl] }),
    }
    await ask(provider, 'wallet_addEthereumChain', [chain])
    await ask(provider, 'wallet_switchEthereumChain', [{ chainId }])
  }
}

/**
 * Asks the wallet to sign and send a transaction. Returns its hash. `notSent` has the error codes after which the wallet has
 * certainly sent nothing. After all others it is uncertain.
 */
export const sendTransaction = async (
  provider: Provider,
  transaction: object,
  notSent: readonly number[],
): Promise<string> => {
  let hash: unknown
  try {
    hash = await provider.request({ method: 'eth_sendTransaction', params: [transaction] })
  } catch (error) {
    throw problemOf(error, notSent)
  }
  if (typeof hash !== 'string' || !/^0x[0-9a-f]{64}$/i.test(hash)) return fail('uncertain', { tone: 'warn' })
  return hash
}

const ask = async (provider: Provider, method: string, params: readonly unknown[] = []): Promise<unknown> => {
  try {
    return await provider.request({ method, params })
  } catch (error) {
    throw problemOf(error)
  }
}

const isAddress = (text: string): boolean => /^0x[0-9a-f]{40}$/i.test(text)

const UNKNOWN_CHAIN = 4902

/** Some wallets wrap the error of the network. */
const codeOf = (error: unknown): unknown => {
  const { code, data } = Object(error)
  return Object(Object(data).originalError).code ?? code
}

/** Another request is open. Some wallets pass it on from a node, which then may have the transaction. */
const BUSY = -32_002

const LONGEST_MESSAGE = 300

/** `notSent` is given while a transaction is sent. */
const problemOf = (error: unknown, notSent?: readonly number[]): WalletProblem => {
  if (error instanceof WalletProblem) return error
  const code = codeOf(error)
  const message = String(Object(error).message ?? '').slice(0, LONGEST_MESSAGE)
  const make = (name: string, tone: WalletNotice['tone'] = 'warn') =>
    new WalletProblem({ title: name, hint: `${name}Hint`, tone, values: { message } })
  if (code === 4001) return make('declined', 'bad')
  if (code === BUSY && (!notSent || notSent.includes(BUSY))) return make('busy')
  if (notSent && !notSent.includes(Number(code))) return make('uncertain')
  return make('walletFailed', 'bad')
}
