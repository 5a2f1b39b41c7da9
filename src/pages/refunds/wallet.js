/** What a browser wallet is asked, and what its answers mean. */

/** Told to people as it is. `unsure`: the transaction may be out all the same. */
export class WalletTrouble extends Error {
  constructor(message, unsure = false) {
    super(message)
    this.unsure = unsure
  }
}

const codeOf = error => error?.data?.originalError?.code ?? error?.code
const wordsOf = error => String(error?.message ?? 'nothing that could be read').slice(0, 300)
const hexOf = number => `0x${BigInt(number).toString(16)}`

const ask = async (provider, method, params) => {
  try {
    return await provider.request(params ? { method, params } : { method })
  } catch (error) {
    if (codeOf(error) === 4001) throw new WalletTrouble('You have refused it in the wallet. Nothing was sent.')
    if (codeOf(error) === -32002)
      throw new WalletTrouble('Your wallet still waits for an answer to something else: open it and answer there.')
    throw error
  }
}

/** The account that is to pay, with the wallet on the refund's chain. */
export const connect = async (provider, chainId, chain) => {
  const accounts = await told(() => ask(provider, 'eth_requestAccounts'))
  const account = String(accounts?.[0] ?? '')
  if (!/^0x[0-9a-fA-F]{40}$/.test(account)) throw new WalletTrouble('The wallet has given no account.')
  if (await isOn(provider, chainId)) return account
  const name = chain?.network ?? `the chain ${chainId}`
  try {
    await ask(provider, 'wallet_switchEthereumChain', [{ chainId: hexOf(chainId) }])
  } catch (error) {
    if (error instanceof WalletTrouble) throw error
    if (codeOf(error) !== 4902) throw new WalletTrouble(`Switch your wallet to ${name}, then press again.`)
    await addChain(provider, chainId, chain)
  }
  if (!(await isOn(provider, chainId)))
    throw new WalletTrouble(`Your wallet is on another network. Switch it to ${name}, then press again.`)
  return account
}

const told = async work => {
  try {
    return await work()
  } catch (error) {
    throw error instanceof WalletTrouble ? error : new WalletTrouble(`Your wallet says: ${wordsOf(error)}`)
  }
}

const isOn = async (provider, chainId) => {
  const id = String(await told(() => ask(provider, 'eth_chainId')))
  return /^(0x[0-9a-fA-F]+|\d+)$/.test(id) && BigInt(id) === BigInt(chainId)
}

/** A wallet that does not know the chain is told of it, where we know a node that is open to everybody. */
const addChain = async (provider, chainId, chain) => {
  if (!chain?.publicNode)
    throw new WalletTrouble(
      `Your wallet does not know ${chain?.network ?? 'the chain'} (chain id ${chainId}). Add it there, with a node that you trust, then press again.`,
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

/** Refusals after which nothing is on its way: of the person, of the wallet, of what was asked. */
const NOT_SENT = [4001, 4100, 4200, -32601, -32602]

/** Has the wallet sign and send exactly this. Answers the hash. */
export const sendOff = async (provider, from, { chainId, to, data, value }) => {
  const transaction = { from, to, data, value: hexOf(value), chainId: hexOf(chainId) }
  let hash
  try {
    hash = await provider.request({ method: 'eth_sendTransaction', params: [transaction] })
  } catch (error) {
    if (codeOf(error) === 4001) throw new WalletTrouble('You have refused it in the wallet. Nothing was sent.')
    throw new WalletTrouble(`Your wallet says: ${wordsOf(error)}`, !NOT_SENT.includes(codeOf(error)))
  }
  if (!/^0x[0-9a-fA-F]{64}$/.test(String(hash))) throw new WalletTrouble('Your wallet has answered with no hash.', true)
  return String(hash).toLowerCase()
}
