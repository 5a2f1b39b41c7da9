import { createHmac } from 'node:crypto'
import type { Hex } from 'viem'
import { concat, getContractAddress, keccak256, parseAbi } from 'viem/utils'
import { parseAddress } from './address.ts'
import forwarders from './contracts/forwarders.json' with { type: 'json' }
import { zeroHash } from './zero.ts'

/**
 * The deterministic deployment proxy: it deploys the code it is sent at an address that depends on the code alone. It
 * exists on every supported chain and on anvil.
 */
export const deploymentProxy = '0x4e59b44847b379578588920ca78fbf26c0b4956c'

const initCode = compiledCode(forwarders.bytecode)

/** The call to the proxy that deploys the factory on a chain. The address does not depend on the sender. */
export const factoryDeployment: Hex = concat([zeroHash, initCode])

const lower = (address: Hex): Hex => `0x${address.slice(2).toLowerCase()}`

/** The contract that creates and sweeps forwarders. Its address is the same on every chain. */
export const factory: Hex = create2(deploymentProxy, zeroHash, keccak256(initCode))

/** The first contract that the factory deploys: the code that every forwarder runs. */
export const sweeper: Hex = lower(getContractAddress({ from: factory, nonce: 1n }))

export const factoryAbi = parseAbi([
  'function collect(address treasury, bytes32[] salts, address[] tokens) returns (bool[] swept)',
  'event Stuck(address indexed forwarder, address indexed token)',
  'error NoTreasury()',
  'error NotEnoughGas()',
])

/**
 * With the secret and the counter an address can be found again. Without the secret, addresses do not show which
 * merchant they belong to.
 */
export const saltOf = (secret: Uint8Array, counter: number): Hex => {
  if (secret.length !== 32)
    throw new Error(`Cannot derive a salt as the recovery secret must have 32 bytes: it has ${secret.length}`)
  if (!Number.isSafeInteger(counter) || counter < 0)
    throw new Error(`Cannot derive a salt as 'counter' must be a non-negative integer: current value is ${counter}`)
  const bytes = new DataView(new ArrayBuffer(8))
  bytes.setBigUint64(0, BigInt(counter))
  return `0x${createHmac('sha256', secret).update(bytes).digest('hex')}`
}

/**
 * Computes the deposit address of a salt. No contract has to be deployed there to receive money. The money can only go
 * to the treasury, so a forwarder to an invalid treasury would keep it forever.
 */
export const forwarderOf = (treasury: Hex): ((salt: Hex) => Hex) => {
  if (!parseAddress(treasury))
    throw new Error(
      'Cannot compute a deposit address as the treasury must be a valid address other than the zero address',
    )
  const bytecodeHash = keccak256(concat(['0x6100473d81600a3d39f3', forwarderCode(treasury)]))
  return salt => {
    if (salt.length !== 66) throw new Error('Cannot compute a deposit address as the salt must have 32 bytes')
    return create2(factory, salt, bytecodeHash)
  }
}

/** The code of a forwarder after its first sweep. */
export const forwarderCode = (treasury: Hex): Hex =>
  lower(concat(['0x36600557005b363d3d373d3d3d363d73', sweeper, '0x5af43d82803e903d91603157fd5bf3', treasury]))

/** Computed from bytes: an audit computes a million addresses, and from hexadecimal text it takes twice as long. */
function create2(from: Hex, salt: Hex, bytecodeHash: Hex): Hex {
  const bytes = Buffer.from(`ff${from.slice(2)}${salt.slice(2)}${bytecodeHash.slice(2)}`, 'hex')
  return `0x${Buffer.from(keccak256(bytes, 'bytes')).toString('hex', 12)}`
}

function compiledCode(text: string): Hex {
  if (!/^0x[0-9a-f]+$/.test(text)) throw new Error('The compiled factory is not hexadecimal')
  return text as Hex
}
