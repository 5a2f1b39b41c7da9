import type { Hex } from 'viem'
import type { Services } from '../actors/services.ts'
import { requireAddress } from '../chain/address.ts'
import { readTreasuryCode } from '../chain/collect/treasury.ts'
import type { Chains, ConnectedChain } from '../chain/enabled/connect.ts'
import { forwarderOf, saltOf } from '../chain/forwarder.ts'
import { sandboxId } from '../chain/known/sandbox.ts'
import type { Ask } from '../chain/rpc/ask.ts'
import { RpcFault, RpcRefusal } from '../chain/rpc/rpc.ts'
import { recoverySecretOf } from '../commands/deposits.ts'
import type { Keyring } from '../keyring.ts'
import { sandboxTreasury } from '../sandbox/treasury.ts'
import type { Waiting } from './waiting.ts'

/** Why money cannot be collected now. */
export type Reason =
  /** The payment is still open: some exchanges cannot send native currency to an address after it was collected. */
  | 'payment_open'
  /** The treasury is that of the sandbox, whose key is not secret, and this is another chain. */
  | 'treasury_public'
  /** The treasury is not the same contract on this chain as on the chain of the payment: it may belong to someone else. */
  | 'treasury_differs'
  /** The chain of the payment does not answer, so the treasury cannot be compared. */
  | 'treasury_unknown'
  /** The token refuses the transfer, or the treasury does not accept it. */
  | 'refused'

export type LeftOut = { readonly reason: Reason; readonly treasury: Hex; readonly held: Waiting['held'] }

/** What can be collected to one treasury. */
export type TreasuryBatch = { readonly treasury: Hex; readonly ready: readonly Ready[] }
export type Ready = { readonly salt: Hex; readonly address: Hex; readonly held: Waiting['held'] }

type Given = Pick<Services, 'sql' | 'random'> & { readonly keyring: Keyring; readonly chains: Chains }

/** Groups the addresses of a chain by treasury, the group with the most addresses first. */
export const sortWaiting = async (
  given: Given,
  { chain }: ConnectedChain,
  merchantId: string,
  { waiting, ask }: { readonly waiting: readonly Waiting[]; readonly ask: Ask },
): Promise<{ readonly batches: readonly TreasuryBatch[]; readonly leftOut: readonly LeftOut[] }> => {
  if (waiting.length === 0) return { batches: [], leftOut: [] }
  const secret = await recoverySecretOf(given, given.keyring, merchantId)
  const compareTreasury = openTreasuryComparison(given.chains, chain.id, ask)
  const publicTreasury = chain.id === sandboxId ? undefined : sandboxTreasury(merchantId)
  const leftOut: LeftOut[] = []
  const ready: (Ready & { readonly treasury: Hex })[] = []
  for (const { held, counter, state, payment_chain_id, ...row } of waiting) {
    const treasury = requireAddress(row.treasury)
    const isOpen = state === 'pending' || state === 'processing'
    const reason = isOpen
      ? 'payment_open'
      : treasury === publicTreasury
        ? 'treasury_public'
        : await compareTreasury(treasury, payment_chain_id)
    if (reason !== 'same') leftOut.push({ treasury, held, reason })
    else ready.push({ salt: saltOf(secret, counter), address: requireAddress(row.address), held, treasury })
  }
  const batches = [...Map.groupBy(ready, ({ treasury }) => treasury)].map(([treasury, its]) => ({
    treasury,
    ready: requireDerived(treasury, its),
  }))
  return { batches: batches.sort((a, b) => b.ready.length - a.ready.length), leftOut }
}

/** With another secret, the derived addresses would be empty. */
const requireDerived = (treasury: Hex, ready: readonly Ready[]): readonly Ready[] => {
  const addressOf = forwarderOf(treasury)
  const foreign = ready.find(({ salt, address }) => addressOf(salt) !== address)
  if (foreign) throw new Error(`the recovery secret does not lead to ${foreign.address}`)
  return ready
}

/**
 * The key of an address works on every chain. The address of a contract may be empty on another chain, or belong to someone
 * else, so its code must be the same as on the chain of the payment.
 */
const openTreasuryComparison = (chains: Chains, here: number, ask: Ask) => {
  const codes = new Map<string, Promise<Code>>()
  const codeAt = (treasury: Hex, chainId: number): Promise<Code> => {
    const key = `${treasury} ${chainId}`
    const other = chains.find(chainId)
    const read = codes.get(key) ?? readCode(chainId === here ? ask : other?.rpc.batch, treasury)
    codes.set(key, read)
    return read
  }
  return async (treasury: Hex, paidOn: number | null): Promise<'same' | 'treasury_differs' | 'treasury_unknown'> => {
    if (paidOn === here) return 'same'
    const there = paidOn === null ? 'unknown' : await codeAt(treasury, paidOn)
    if (there === 'unknown') return 'treasury_unknown'
    return there === (await codeAt(treasury, here)) ? 'same' : 'treasury_differs'
  }
}

type Code = Hex | null | 'unknown'

const readCode = async (ask: Ask | undefined, treasury: Hex): Promise<Code> => {
  try {
    return ask ? await readTreasuryCode(ask, treasury) : 'unknown'
  } catch (error) {
    if (error instanceof RpcFault || error instanceof RpcRefusal) return 'unknown'
    throw error
  }
}
