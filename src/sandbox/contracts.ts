import { concat, getCreate2Address, type Hex, isHex, keccak256, zeroHash } from 'viem'
import { deploymentProxy, factory, factoryDeployment } from '../chain/forwarder.ts'
import type { SandboxContracts } from '../chain/known/sandbox.ts'
import dollar from './contracts/test-dollar.json' with { type: 'json' }
import price from './contracts/test-price.json' with { type: 'json' }

export type Deployment = { readonly address: Hex /** What the proxy is sent. */; readonly input: Hex }

const deploymentOf = ({ bytecode }: { readonly bytecode: string }): Deployment => {
  if (!isHex(bytecode)) throw new TypeError('The compiled contract is not hexadecimal')
  const address = getCreate2Address({ from: deploymentProxy, salt: zeroHash, bytecodeHash: keccak256(bytecode) })
  return { address: `0x${address.slice(2).toLowerCase()}`, input: concat([zeroHash, bytecode]) }
}

const token = deploymentOf(dollar)
const feed = deploymentOf(price)

/** What every sandbox has, at the same addresses each time. */
export const deployments: readonly Deployment[] = [token, feed, { address: factory, input: factoryDeployment }]

export const sandboxContracts: SandboxContracts = { token: token.address, feed: feed.address }

/** Accounts 0 and 1 of the standard development mnemonic, unlocked in every development node: ours, and the payer of tests. */
export const [owner, payer] = [
  '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
  '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
] as const
