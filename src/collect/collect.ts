import type { Hex, PrivateKeyAccount } from 'viem'
import { formatUnits } from 'viem/utils'
import { patient } from '../chain/collect/ask.ts'
import { type Carrier, carryOutSweep, deployFirst } from '../chain/collect/carry-out.ts'
import { lookAt } from '../chain/collect/look.ts'
import { planSweeps } from '../chain/collect/plan.ts'
import type { ConnectedChain } from '../chain/connect.ts'
import { RECOVERY_PURPOSE } from '../commands/deposits.ts'
import { findRecoverySecret } from '../queries/deposits.ts'
import { checksummed } from '../records/balance.ts'
import { StartError } from '../start-error.ts'
import { depositOf, type Given, ofAsset, refusedOf } from './collection.ts'
import { type Batch, type LeftOut, type Reason, sortWaiting } from './ready.ts'
import { assetsOf, type Held, readWaiting, totalsOf, type Waits } from './waiting.ts'

export type CollectOptions = Given & {
  readonly connected: ConnectedChain
  readonly merchantId: string
  /** Everything, unless one is named. */
  readonly asset: string | undefined
  /** Who sends and pays the gas; without one the transactions are printed. */
  readonly account: PrivateKeyAccount | undefined
  readonly say: (line: string) => void
  readonly print: (line: string) => void
}

/** Everything that waits for a merchant on one chain, brought to its treasuries or printed as transactions that do. */
export const collect = async (options: CollectOptions): Promise<void> => {
  const { connected, merchantId, asset, account, say, print } = options
  await requireSecret(options)
  const ask = patient(connected.rpc.batch)
  const carrier = { ask, chainId: connected.chain.id, account, say, print }
  const tried = new Set<Hex>()
  for (let atLeast = 0; ; ) {
    const waits = await readWaiting(options, connected, merchantId, { timeoutMs, ask, atLeast })
    const waiting = ofAsset(waits.waiting, asset)
    sayWaiting(options, { ...waits, waiting })
    const { batches, leftOut } = await sortWaiting(options, connected, merchantId, { waiting, ask })
    sayLeftOut(options, leftOut)
    // What has not moved although it was to is not tried again: that would cost gas for ever.
    const untried = batches
      .map(batch => ({ ...batch, ready: batch.ready.filter(({ salt }) => !tried.has(salt)) }))
      .filter(({ ready }) => ready.length > 0)
    if (untried.length === 0 || !(await deployFirst(carrier))) return
    for (const batch of untried) {
      atLeast = Math.max(atLeast, await collectBatch(options, carrier, batch))
      for (const { salt } of batch.ready) tried.add(salt)
    }
    if (!account && !waits.complete) say('There is more: send these, and run the same again')
    if (!account) return
  }
}

/** Answers the block that the last transaction is in. */
const collectBatch = async (options: CollectOptions, carrier: Carrier, batch: Batch): Promise<number> => {
  const { say } = options
  const { ask } = carrier
  const { sweeps, leftOut } = await planSweeps(ask, batch.treasury, batch.ready.map(depositOf))
  sayLeftOut(options, refusedOf(batch, leftOut))
  if (sweeps.length === 0) return 0
  const before = await holdingsOf(options, carrier, batch.treasury, 0)
  say(`To ${checksummed(batch.treasury)}, which has ${shown(before)}:`)
  let block = 0
  for (const sweep of sweeps) block = (await carryOutSweep(carrier, sweep))?.blockNumber ?? 0
  if (block > 0) say(`  it has ${shown(await holdingsOf(options, carrier, batch.treasury, block))} now`)
  return block
}

const timeoutMs = 60_000

/** What a house has sealed under another key would stop this in the middle. */
const requireSecret = async ({ sql, keyring, merchantId }: CollectOptions): Promise<void> => {
  const sealed = await findRecoverySecret(sql, merchantId)
  if (sealed === undefined) return
  try {
    keyring.open(RECOVERY_PURPOSE, merchantId, sealed)
  } catch {
    throw new StartError('SECRET_KEY does not open what is sealed in this database: set the one that its house has')
  }
}

const holdingsOf = async ({ connected, asset }: CollectOptions, { ask }: Carrier, treasury: Hex, atLeast: number) => {
  const assets = assetsOf(connected.chain)
  const [, ...tokens] = assets.map(({ token }) => token)
  const [holding] = (await lookAt(ask, [treasury], tokens, atLeast)).holdings
  return assets
    .map((each, at) => ({ ...each, amount: (at === 0 ? holding?.coins : holding?.tokens[at - 1]) ?? 0n }))
    .filter(each => asset === undefined || each.asset === asset)
}

const sayWaiting = ({ connected: { chain }, say }: CollectOptions, { waiting, complete }: Waits): void => {
  const where = `${chain.network} (${chain.id})`
  const what = `${shown(totalsOf(waiting))} at ${countOf(waiting.length)}${complete ? '' : ', and more'}`
  say(`${where}: ${waiting.length === 0 ? 'nothing waits to be collected' : what}`)
}

const sayLeftOut = ({ say }: CollectOptions, leftOut: readonly LeftOut[]): void => {
  for (const [reason, group] of Map.groupBy(leftOut, each => each.reason))
    say(`  ${shown(totalsOf(group))} stays at ${countOf(group.length)}: ${sentences[reason]}`)
}

const sentences: Readonly<Record<Reason, string>> = {
  payment_open: 'the payment may still be paid',
  treasury_public: 'it belongs to the treasury of the sandbox, whose key anybody can have',
  treasury_differs: 'the treasury is not the contract on this chain that it is where the payment was to be made',
  treasury_unknown: 'the chain where the payment was to be made does not say what the treasury is; run this again',
  refused: 'the token does not let it go now, or the treasury does not take it',
}

const shown = (held: readonly Held[]): string =>
  held.map(({ amount, decimals, asset }) => `${formatUnits(amount, decimals)} ${asset}`).join(', ')

const countOf = (addresses: number): string => `${addresses} ${addresses === 1 ? 'address' : 'addresses'}`
