import { createHmac } from 'node:crypto'
import type { Hex } from 'viem'
import { concat, getContractAddress, keccak256, parseAbi } from 'viem/utils'
import { parseAddress } from './address.ts'
import forwarders from './contracts/forwarders.json' with { type: 'json' }
import { zeroHash } from './zero.ts'

/** Puts what it is sent at an address that follows from these bytes alone. It is on every chain served, and on anvil. */
export const deploymentProxy = '0x4e59b44847b379578588920ca78fbf26c0b4956c'

const initCode = compiledCode(forwarders.bytecode)

/** What the proxy is sent to put the factory on a chain that lacks it; whoever does, it is the same one. */
export const factoryDeployment: Hex = concat([zeroHash, initCode])

const lower = (address: Hex): Hex => `0x${address.slice(2).toLowerCase()}`

/** The contract that sweeps forwarders, at one address everywhere. */
export const factory: Hex = create2(deploymentProxy, zeroHash, keccak256(initCode))

/** What the factory makes first: the code that every forwarder runs. */
export const sweeper: Hex = lower(getContractAddress({ from: factory, nonce: 1n }))

export const factoryAbi = parseAbi([
  'function collect(address treasury, bytes32[] salts, address[] tokens) returns (bool[] swept)',
  'event Stuck(address indexed forwarder, address indexed token)',
  'error NoTreasury()',
  'error NotEnoughGas()',
])

/** The secret and the counter are enough to find an address again; who knows addresses alone cannot tell whose they are. */
export const saltOf = (secret: Uint8Array, counter: number): Hex => {
  if (secret.length !== 32) throw new Error(`A recovery secret has 32 bytes, not ${secret.length}`)
  if (!Number.isSafeInteger(counter) || counter < 0) throw new Error(`${counter} counts no address`)
  const bytes = new DataView(new ArrayBuffer(8))
  bytes.setBigUint64(0, BigInt(counter))
  return `0x${createHmac('sha256', secret).update(bytes).digest('hex')}`
}

/**
 * Where the payment of a salt is received. Nothing has to be on chain for it; what arrives can only go to
 * the treasury, so an address for one that is none would keep it for ever.
 */
export const forwarderOf = (treasury: Hex): ((salt: Hex) => Hex) => {
  if (!parseAddress(treasury)) throw new Error('A treasury is an address, and not the zero address')
  const bytecodeHash = keccak256(concat(['0x6100473d81600a3d39f3', forwarderCode(treasury)]))
  return salt => {
    if (salt.length !== 66) throw new Error('A salt has 32 bytes')
    return create2(factory, salt, bytecodeHash)
  }
}

/** What stands at a forwarder that has been swept. */
export const forwarderCode = (treasury: Hex): Hex =>
  lower(concat(['0x36600557005b363d3d373d3d3d363d73', sweeper, '0x5af43d82803e903d91603157fd5bf3', treasury]))

/** By bytes, as an audit makes a million of them: of hexadecimal text it takes twice as long. */
function create2(from: Hex, salt: Hex, bytecodeHash: Hex): Hex {
  const bytes = Buffer.from(`ff${from.slice(2)}${salt.slice(2)}${bytecodeHash.slice(2)}`, 'hex')
  return `0x${Buffer.from(keccak256(bytes, 'bytes')).toString('hex', 12)}`
}

function compiledCode(text: string): Hex {
  if (!/^0x[0-9a-f]+$/.test(text)) throw new Error('The compiled factory is not hexadecimal')
  return text as Hex
}
