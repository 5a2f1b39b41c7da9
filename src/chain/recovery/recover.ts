import type { Hex } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import { formatUnits } from 'viem/utils'
import { StartError } from '../../process/start-error.ts'
import { requireAddress } from '../address.ts'
import { planSweeps } from '../collect/plan.ts'
import { deployFactoryIfNeeded, sendOrPrintSweep } from '../collect/send-or-print.ts'
import { readTreasuryCode } from '../collect/treasury.ts'
import { knownChains } from '../known/table.ts'
import { type Ask, getBigint } from '../rpc/ask.ts'
import { zeroAddress } from '../zero.ts'
import type { Recovery } from './file.ts'
import { type FoundDeposit, findFunds } from './find.ts'

export type RecoverOptions = {
  readonly ask: Ask
  readonly recovery: Recovery
  /** In addition to the known tokens of the chain and those in the file. */
  readonly tokens: readonly Hex[]
  readonly gap: number
  /** Sends the transactions and pays the gas. Undefined: the transactions are printed. */
  readonly account: PrivateKeyAccount | undefined
  readonly say: (line: string) => void
  readonly print: (line: string) => void
}

/** Finds the money of a recovery file on one chain, and collects it or prints the transactions that do so. */
export const recover = async (options: RecoverOptions): Promise<void> => {
  const { ask, recovery, gap, account, say, print } = options
  const chainId = Number(await getBigint(ask, 'eth_chainId', []))
  const treasuries = await findSafeTreasuries(ask, chainId, recovery, say)
  const assets = assetsOf(chainId, recovery, options.tokens)
  say(
    `Chain ${chainId}: searching for ${assets.map(({ token, name }) => name ?? token).join(', ')}; add other tokens with --token`,
  )
  const [, ...tokens] = assets.map(({ token }) => token)
  const { found, searched, tokensWithoutBalance } = await findFunds(ask, recovery, treasuries, { tokens, gap })
  for (const treasury of treasuries) {
    const holding = found.filter(each => each.treasury === treasury)
    say(`Chain ${chainId}: ${holding.length} of ${searched} addresses hold money for ${treasury}`)
  }
  for (const each of found) say(`  ${each.counter}  ${each.address}  ${shown(each, assets)}`)
  for (const token of tokensWithoutBalance) say(`  ${token} does not return the balance of every address`)
  if (found.length === 0) return

  const context = { ask, chainId, account, say, print }
  if (!(await deployFactoryIfNeeded(context))) return
  for (const treasury of treasuries) {
    const deposits = found
      .filter(each => each.treasury === treasury)
      .map(each => ({ salt: each.salt, tokens: heldOf(each, assets).map(({ token }) => token) }))
    const { sweeps, leftOut } = await planSweeps(ask, treasury, deposits)
    for (const sweep of sweeps) await sendOrPrintSweep(context, sweep)
    for (const { salt, token } of leftOut) {
      const address = found.find(each => each.salt === salt && each.treasury === treasury)?.address
      const asset = assets.find(each => each.token === token)
      say(`  Left at ${address}: ${asset?.name ?? `token ${token}`} cannot be transferred to the treasury now`)
    }
  }
}

/** On another chain, the address of a contract can belong to someone else: money must not be collected to it there. */
const findSafeTreasuries = async (
  ask: Ask,
  chainId: number,
  { treasuries }: Recovery,
  say: (line: string) => void,
): Promise<readonly Hex[]> => {
  const same = new Set<Hex>()
  const others = new Map<Hex, string>()
  for (const { address, codeHash, onlyOn } of treasuries) {
    if (onlyOn !== null && onlyOn !== chainId)
      others.set(
        address,
        `The treasury ${address} is valid only on chain ${onlyOn}: nothing is collected to it on this chain`,
      )
    else if ((await readTreasuryCode(ask, address)) === codeHash) same.add(address)
    else
      others.set(
        address,
        codeHash === null
          ? `The treasury ${address} was not a contract, but is a contract on this chain: nothing is collected to it`
          : `The treasury ${address} is not the contract on this chain that it was when it was set: deploy the contract on this chain first`,
      )
  }
  const sentences = [...others].filter(([address]) => !same.has(address)).map(([, sentence]) => sentence)
  if (same.size === 0) throw new StartError(sentences.join('\n'))
  for (const sentence of sentences) say(sentence)
  return [...same]
}

/** `name`: null if it is not known. */
type Asset = { readonly token: Hex; readonly name: string | null; readonly decimals: number }

/** Native currency first. For a known token, the entry of the file is ignored. */
const assetsOf = (chainId: number, { chains }: Pick<Recovery, 'chains'>, others: readonly Hex[]): readonly Asset[] => {
  const known = knownChains.find(({ id }) => id === chainId)
  const native = {
    token: zeroAddress,
    name: known?.native.asset ?? 'native currency',
    decimals: known?.native.decimals ?? 18,
  }
  const listed = chains.filter(chain => chain.chainId === chainId).flatMap(({ tokens }) => tokens)
  const tokens: readonly Asset[] = [
    ...[...(known?.tokens ?? []), ...listed].map(({ asset, address, decimals }) => ({
      ...{ token: requireAddress(address), name: asset, decimals },
    })),
    ...others.map(token => ({ token, name: null, decimals: 0 })),
  ]
  return [native, ...tokens.filter(({ token }, at) => tokens.findIndex(other => other.token === token) === at)]
}

/** Without a name the decimals are not known either. */
const unitOf = ({ name, token }: Asset): string => name ?? `atomic units of token ${token}`

type Held = Asset & { readonly amount: bigint }

const heldOf = ({ native, tokens }: FoundDeposit, assets: readonly Asset[]): readonly Held[] =>
  assets
    .map((asset, at) => ({ ...asset, amount: at === 0 ? native : (tokens[at - 1] ?? 0n) }))
    .filter(({ amount }) => amount > 0n)

const shown = (found: FoundDeposit, assets: readonly Asset[]): string =>
  heldOf(found, assets)
    .map(held => `${formatUnits(held.amount, held.decimals)} ${unitOf(held)}`)
    .join(', ')
