import type { Hex, PrivateKeyAccount } from 'viem'
import { formatUnits } from 'viem/utils'
import { checksummed } from '../chain/checksum.ts'
import { readHoldingsAtHead } from '../chain/collect/holdings-at-head.ts'
import { planSweeps } from '../chain/collect/plan.ts'
import { deployFactoryIfNeeded, type SendContext, sendOrPrintSweep } from '../chain/collect/send-or-print.ts'
import type { ConnectedChain } from '../chain/enabled/connect.ts'
import { withRetries } from '../chain/rpc/ask.ts'
import { StartError } from '../process/start-error.ts'
import { findRecoverySecret } from '../queries/deposits.ts'
import { RECOVERY_PURPOSE } from '../sealed-columns.ts'
import { type CollectionContext, depositOf, ofAsset, refusedOf } from './collection.ts'
import { type LeftOut, type Reason, sortWaiting, type TreasuryBatch } from './ready.ts'
import { assetsOf, type HeldAmount, readWaiting, totalsOf, type WaitingBalances } from './waiting.ts'

export type CollectOptions = CollectionContext & {
  readonly connected: ConnectedChain
  readonly merchantId: string
  /** Undefined: all assets. */
  readonly asset: string | undefined
  /** Sends the transactions and pays the gas. Undefined: the transactions are printed. */
  readonly account: PrivateKeyAccount | undefined
  readonly say: (line: string) => void
  readonly print: (line: string) => void
}

/** Collects the money of a merchant on one chain to its treasuries, or prints the transactions that do so. */
export const collect = async (options: CollectOptions): Promise<void> => {
  const { connected, merchantId, asset, account, say, print } = options
  await requireSecret(options)
  const ask = withRetries(connected.rpc.batch)
  const context = { ask, chainId: connected.chain.id, account, say, print }
  const tried = new Set<Hex>()
  for (let atLeast = 0; ; ) {
    const waits = await readWaiting(options, connected, merchantId, { timeoutMs, ask, atLeast })
    const waiting = ofAsset(waits.waiting, asset)
    sayWaiting(options, { ...waits, waiting })
    const { batches, leftOut } = await sortWaiting(options, connected, merchantId, { waiting, ask })
    sayLeftOut(options, leftOut)
    // An address that did not move in spite of a transaction is not tried again: that would cost gas without end.
    const untried = batches
      .map(batch => ({ ...batch, ready: batch.ready.filter(({ salt }) => !tried.has(salt)) }))
      .filter(({ ready }) => ready.length > 0)
    if (untried.length === 0 || !(await deployFactoryIfNeeded(context))) return
    for (const batch of untried) {
      atLeast = Math.max(atLeast, await collectBatch(options, context, batch))
      for (const { salt } of batch.ready) tried.add(salt)
    }
    if (!account && !waits.complete)
      say('There is more to collect: send these transactions, then run the same command again')
    if (!account) return
  }
}

/** Returns the block of the last transaction. */
const collectBatch = async (options: CollectOptions, context: SendContext, batch: TreasuryBatch): Promise<number> => {
  const { say } = options
  const { ask } = context
  const { sweeps, leftOut } = await planSweeps(ask, batch.treasury, batch.ready.map(depositOf))
  sayLeftOut(options, refusedOf(batch, leftOut))
  if (sweeps.length === 0) return 0
  const before = await holdingsOf(options, context, batch.treasury, 0)
  say(`To ${checksummed(batch.treasury)}, which has ${shown(before)}:`)
  let block = 0
  for (const sweep of sweeps) block = (await sendOrPrintSweep(context, sweep))?.blockNumber ?? 0
  if (block > 0) say(`  it has ${shown(await holdingsOf(options, context, batch.treasury, block))} now`)
  return block
}

const timeoutMs = 60_000

/** Checked first: a wrong secret key would fail after some transactions. */
const requireSecret = async ({ sql, keyring, merchantId }: CollectOptions): Promise<void> => {
  const sealed = await findRecoverySecret(sql, merchantId)
  if (sealed === undefined) return
  try {
    keyring.open(RECOVERY_PURPOSE, merchantId, sealed)
  } catch {
    throw new StartError('SECRET_KEY does not decrypt the secrets in this database: set the SECRET_KEY of its server')
  }
}

const holdingsOf = async (
  { connected, asset }: CollectOptions,
  { ask }: SendContext,
  treasury: Hex,
  atLeast: number,
) => {
  const assets = assetsOf(connected.chain)
  const [, ...tokens] = assets.map(({ token }) => token)
  const [holding] = (await readHoldingsAtHead(ask, [treasury], tokens, atLeast)).holdings
  return assets
    .map((each, at) => ({ ...each, amount: (at === 0 ? holding?.native : holding?.tokens[at - 1]) ?? 0n }))
    .filter(each => asset === undefined || each.asset === asset)
}

const sayWaiting = ({ connected: { chain }, say }: CollectOptions, { waiting, complete }: WaitingBalances): void => {
  const where = `${chain.network} (${chain.id})`
  const what = `${shown(totalsOf(waiting))} at ${countOf(waiting.length)}${complete ? '' : ', and more'}`
  say(`${where}: ${waiting.length === 0 ? 'nothing waits to be collected' : what}`)
}

const sayLeftOut = ({ say }: CollectOptions, leftOut: readonly LeftOut[]): void => {
  for (const [reason, group] of Map.groupBy(leftOut, each => each.reason))
    say(`  ${shown(totalsOf(group))} stays at ${countOf(group.length)}: ${sentences[reason]}`)
}

const sentences: Readonly<Record<Reason, string>> = {
  payment_open: 'the payment is still open',
  treasury_public: 'its treasury is that of the sandbox, whose private key is not secret',
  treasury_differs:
    'the treasury is a contract on the chain of the payment, and is not the same contract on this chain',
  treasury_unknown: 'the chain of the payment does not answer, so the treasury cannot be compared; try again',
  refused: 'the token refuses the transfer now, or the treasury does not accept it',
}

const shown = (held: readonly HeldAmount[]): string =>
  held.map(({ amount, decimals, asset }) => `${formatUnits(amount, decimals)} ${asset}`).join(', ')

const countOf = (addresses: number): string => `${addresses} ${addresses === 1 ? 'address' : 'addresses'}`
