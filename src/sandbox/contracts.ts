import type { Hex } from 'viem'
import { concat, encodeAbiParameters, getCreate2Address, isHex, keccak256, parseAbiParameters } from 'viem/utils'
import { deploymentProxy, factory, factoryDeployment } from '../chain/forwarder.ts'
import type { SandboxContracts } from '../chain/known/sandbox.ts'
import { zeroHash } from '../chain/zero.ts'
import dollar from './contracts/test-dollar.json' with { type: 'json' }
import price from './contracts/test-price.json' with { type: 'json' }

export type ContractDeployment = {
  readonly address: Hex
  /** The input of the transaction to the deployment proxy. */
  readonly input: Hex
}

const deploymentOf = ({ bytecode }: { readonly bytecode: string }, args: Hex = '0x'): ContractDeployment => {
  if (!isHex(bytecode)) throw new TypeError('The compiled contract is not hexadecimal')
  const code = concat([bytecode, args])
  const address = getCreate2Address({ from: deploymentProxy, salt: zeroHash, bytecodeHash: keccak256(code) })
  return { address: `0x${address.slice(2).toLowerCase()}`, input: concat([zeroHash, code]) }
}

/** With eight decimals, like Chainlink's feeds. */
const priceOf = (pair: string, dollars: number): ContractDeployment =>
  deploymentOf(
    price,
    encodeAbiParameters(parseAbiParameters('string, int256'), [pair, BigInt(Math.round(dollars * 1e8))]),
  )

const token = deploymentOf(dollar)
const feed = priceOf('ETH / USD', 2_500)
const euroFeed = priceOf('EUR / USD', 1.08)

/** The contracts of every sandbox, always at the same addresses. */
export const deployments: readonly ContractDeployment[] = [
  token,
  feed,
  euroFeed,
  { address: factory, input: factoryDeployment },
]

export const sandboxContracts: SandboxContracts = {
  token: token.address,
  feed: feed.address,
  euroFeed: euroFeed.address,
}

/**
 * Accounts 0 and 1 of the standard development mnemonic, which are unlocked in every development node. The first
 * deploys contracts, the second pays simulated payments.
 */
export const [owner, payer] = [
  '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
  '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
] as const
