import { readFileSync } from 'node:fs'
import {
  type Abi,
  createTestClient,
  decodeFunctionResult,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  http,
  parseAbi,
  parseEventLogs,
  publicActions,
  type TransactionReceipt,
  walletActions,
} from 'viem'
import { anvil as anvilChain } from 'viem/chains'
import type { Artifact } from '../../../src/chain/contracts/compile.ts'
import { deploymentProxy, factory, factoryAbi, factoryDeployment } from '../../../src/chain/forwarder.ts'
import { anvil } from '../../harness/anvil.ts'
import { until } from '../../harness/until.ts'

/** A chain for tests of the contracts, with the factory on it unless `bare`. */
export const factoryChain = async ({ bare = false, chainId = anvilChain.id as number } = {}) => {
  const node = await anvil({ fast: false, args: ['--chain-id', String(chainId)] })
  const chain = { ...anvilChain, id: chainId }
  const client = createTestClient({ mode: 'anvil', chain, transport: http(node.url) })
    .extend(publicActions)
    .extend(walletActions)
  const [account] = await client.getAddresses()
  if (!account) throw new Error('anvil returned no account')

  const minedAs = (hash: Hex) =>
    until(() => client.getTransactionReceipt({ hash }).catch(() => undefined), { what: `the receipt of ${hash}` })
  const send = async (to: Hex, data: Hex, { value = 0n, gas, from = account }: Sending = {}) => {
    const hash = await client.sendTransaction({ account: from, to, data, value, ...(gas && { gas }) })
    return await minedAs(hash)
  }
  const deploy = async (name: string): Promise<Hex> => {
    const { abi, bytecode } = artifact(name)
    const hash = await client.deployContract({ account, abi, bytecode })
    const { contractAddress } = await minedAs(hash)
    if (!contractAddress) throw new Error(`${name} was not deployed`)
    return contractAddress
  }
  const collect = (treasury: Hex, salts: readonly Hex[], tokens: readonly Hex[], options?: Sending) =>
    send(factory, collectData(treasury, salts, tokens), options)

  if (!bare) await send(deploymentProxy, factoryDeployment)
  return {
    url: node.url,
    node,
    client,
    account,
    send,
    deploy,
    collect,
    mint: (token: Hex, to: readonly Hex[], amount: bigint) =>
      send(token, encodeFunctionData({ abi: mintAbi, args: [to, amount] }), { gas: 25_000_000n }),
    freeze: (token: Hex, holder: Hex) => send(token, encodeFunctionData({ abi: freezeAbi, args: [holder] })),
    pay: (to: Hex, value: bigint, options?: Sending) => send(to, '0x', { ...options, value }),
    nativeBalance: (address: Hex) => client.getBalance({ address }),
    tokenBalance: async (token: Hex, holder: Hex): Promise<bigint> => {
      const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [holder] })
      const { data: answer = '0x' } = await client.call({ to: token, data })
      return decodeFunctionResult({ abi: erc20Abi, functionName: 'balanceOf', data: answer })
    },
    [Symbol.asyncDispose]: () => node[Symbol.asyncDispose](),
  }
}

export type FactoryChain = Awaited<ReturnType<typeof factoryChain>>

export type Sending = { readonly value?: bigint; readonly gas?: bigint; readonly from?: Hex }

export const collectData = (treasury: Hex, salts: readonly Hex[], tokens: readonly Hex[]): Hex =>
  encodeFunctionData({ abi: factoryAbi, functionName: 'collect', args: [treasury, salts, tokens] })

/** The failed transfers of a collection, as forwarder and token. */
export const stuckIn = (receipt: TransactionReceipt): readonly (readonly [Hex, Hex])[] =>
  parseEventLogs({ abi: factoryAbi, eventName: 'Stuck', logs: receipt.logs }).map(({ args }) => [
    lower(args.forwarder),
    lower(args.token),
  ])

export const lower = (hex: Hex): Hex => `0x${hex.slice(2).toLowerCase()}`

const mintAbi = parseAbi(['function mint(address[] to, uint256 amount)'])

const freezeAbi = parseAbi(['function freeze(address holder)'])

const artifact = (name: string): Artifact =>
  JSON.parse(readFileSync(new URL(`${name}.json`, import.meta.url), 'utf8')) satisfies { abi: Abi }
