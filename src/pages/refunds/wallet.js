/** Requests to a browser wallet, and the meaning of its answers. */

/** The message is shown as it is. `unsure`: the transaction may have been sent anyway. */
export class WalletTrouble extends Error {
  constructor(message, unsure = false) {
    super(message)
    this.unsure = unsure
  }
}

const codeOf = error => error?.data?.originalError?.code ?? error?.code
const wordsOf = error => String(error?.message ?? 'no readable message').slice(0, 300)
const hexOf = number => `0x${BigInt(number).toString(16)}`

const ask = async (provider, method, params) => {
  try {
    return await provider.request(params ? { method, params } : { method })
  } catch (error) {
    if (codeOf(error) === 4001) throw new WalletTrouble('You rejected the request in the wallet. Nothing was sent.')
    if (codeOf(error) === -32002)
      throw new WalletTrouble(
        'Another request is open in your wallet. Open the wallet and answer it there, then try again. Nothing was sent.',
      )
    throw error
  }
}

/** The account that pays, after the wallet was switched to the chain of the refund. */
export const connect = async (provider, chainId, chain) => {
  const accounts = await told(() => ask(provider, 'eth_requestAccounts'))
  const account = String(accounts?.[0] ?? '')
  if (!/^0x[0-9a-fA-F]{40}$/.test(account))
    throw new WalletTrouble('The wallet did not return an account. Nothing was sent.')
  if (await isOn(provider, chainId)) return account
  const name = chain?.network ?? `chain ${chainId}`
  try {
    await ask(provider, 'wallet_switchEthereumChain', [{ chainId: hexOf(chainId) }])
  } catch (error) {
    if (error instanceof WalletTrouble) throw error
    if (codeOf(error) !== 4902)
      throw new WalletTrouble(`Nothing was sent. Switch your wallet to ${name}, then try again.`)
    await addChain(provider, chainId, chain)
  }
  if (!(await isOn(provider, chainId)))
    throw new WalletTrouble(
      `Nothing was sent: your wallet is on another network. Switch it to ${name}, then try again.`,
    )
  return account
}

const told = async work => {
  try {
    return await work()
  } catch (error) {
    throw error instanceof WalletTrouble
      ? error
      : new WalletTrouble(`Nothing was sent. Your wallet reports: ${wordsOf(error)}`)
  }
}

const isOn = async (provider, chainId) => {
  const id = String(await told(() => ask(provider, 'eth_chainId')))
  return /^(0x[0-9a-fA-F]+|\d+)$/.test(id) && BigInt(id) === BigInt(chainId)
}

/** Adds the chain to the wallet, if a public node of the chain is known. */
const addChain = async (provider, chainId, chain) => {
  if (!chain?.publicNode)
    throw new WalletTrouble(
      `Nothing was sent: your wallet does not know ${chain?.network ?? 'the chain'} (chain ID ${chainId}). Add the network in your wallet, with a node that you trust, then try again.`,
    )
  const { network, coin, publicNode, explorerUrl } = chain
  await told(() =>
    ask(provider, 'wallet_addEthereumChain', [
      {
        ...{ chainId: hexOf(chainId), chainName: network, rpcUrls: [publicNode] },
        nativeCurrency: { name: coin.asset, symbol: coin.asset, decimals: coin.decimals },
        ...(explorerUrl && { blockExplorerUrls: [explorerUrl] }),
      },
    ]),
  )
}

/** Error codes that prove that nothing was sent: rejected by the user, not authorized, not supported, or invalid. */
const NOT_SENT = [4001, 4100, 4200, -32601, -32602]

/** Asks the wallet to sign and send exactly this transaction. Returns the hash. */
export const sendOff = async (provider, from, { chainId, to, data, value }) => {
  const transaction = { from, to, data, value: hexOf(value), chainId: hexOf(chainId) }
  let hash
  try {
    hash = await provider.request({ method: 'eth_sendTransaction', params: [transaction] })
  } catch (error) {
    if (codeOf(error) === 4001) throw new WalletTrouble('You rejected the request in the wallet. Nothing was sent.')
    throw new WalletTrouble(`Your wallet reports: ${wordsOf(error)}`, !NOT_SENT.includes(codeOf(error)))
  }
  if (!/^0x[0-9a-fA-F]{64}$/.test(String(hash)))
    throw new WalletTrouble('Your wallet did not return a transaction hash.', true)
  return String(hash).toLowerCase()
}
