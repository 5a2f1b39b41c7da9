import { fail, type Provider, readChainId, sendTransaction } from '../wallets/wallet-steps.ts'
import { amountText, balanceData, hex, type PayOrder, transferRequest } from './transfer.ts'

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
  const current = await readChainId(provider)
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

/** The hash of the transaction. The network is checked once more: it may have changed while the customer was reading. */
export const sendTransfer = async (provider: Provider, order: PayOrder, account: string): Promise<string> => {
  await requireChain(provider, order)
  return sendTransaction(provider, transferRequest(order, account), NOT_SENT)
}

/** Errors after which a wallet has certainly sent nothing: refused by the customer, the wallet or the node. */
const NOT_SENT = [4100, 4200, 4900, 4901, -32000, -32002, -32003, -32602]

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

/** Undefined if the wallet does not answer that: it is not asked for more than it can do. */
const tryAsk = async (provider: Provider, method: string, params: readonly unknown[]): Promise<unknown> => {
  try {
    return await provider.request({ method, params })
  } catch {
    return undefined
  }
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
