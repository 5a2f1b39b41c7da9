import type { Hex } from 'viem'
import type { Services } from '../actors/services.ts'
import { findFactoryDeployment } from '../chain/collect/factory.ts'
import { partsOf } from '../chain/collect/holdings.ts'
import { MAX_ADDRESSES_PER_SWEEP, planSweeps, type Sweep, type SweepPlan } from '../chain/collect/plan.ts'
import type { TransactionRequest } from '../chain/collect/send.ts'
import type { Chains, ConnectedChain } from '../chain/enabled/connect.ts'
import { type Ask, withinTime } from '../chain/rpc/ask.ts'
import type { Keyring } from '../keyring.ts'
import { type LeftOut, type Ready, sortWaiting, type TreasuryBatch } from './ready.ts'
import { type HeldAmount, readWaiting, type Total, totalsOf, type Waiting } from './waiting.ts'

export type CollectionRequest = {
  readonly merchantId: string
  /** Symbol of the asset. Undefined: all assets. */
  readonly asset: string | undefined
  /** Undefined: the treasury with the most addresses. */
  readonly treasury: Hex | undefined
  readonly timeoutMs: number
}

export type Collection = {
  /** Null if nothing can be collected. */
  readonly treasury: Hex | null
  readonly step: Step
  /** Number of addresses of this treasury that are left for the next transaction. */
  readonly remaining: number
  readonly leftOut: readonly LeftOut[]
  /** What can be collected to other treasuries. */
  readonly others: readonly TreasuryBatch[]
}

type Step =
  | { readonly type: 'nothing' }
  /** The deployment proxy, which gives contracts the same address on every chain, is not on this chain. */
  | { readonly type: 'impossible' }
  | { readonly type: 'deploy_factory'; readonly transaction: TransactionRequest }
  | { readonly type: 'collect'; readonly sweep: Sweep; readonly amounts: readonly Total[] }

export type CollectionContext = Pick<Services, 'sql' | 'random'> & {
  readonly keyring: Keyring
  readonly chains: Chains
}

/** The next transaction that collects money to its treasury. Any wallet can send it. Call again after it was sent. */
export const nextCollection = async (
  given: CollectionContext,
  connected: ConnectedChain,
  wanted: CollectionRequest,
): Promise<Collection> => {
  const ask = withinTime(connected.rpc, wanted.timeoutMs)
  const { waiting } = await readWaiting(given, connected, wanted.merchantId, { timeoutMs: wanted.timeoutMs, ask })
  const asked = ofAsset(waiting, wanted.asset)
  const { batches, leftOut } = await sortWaiting(given, connected, wanted.merchantId, { waiting: asked, ask })
  const batch = wanted.treasury ? batches.find(each => each.treasury === wanted.treasury) : batches[0]
  const others = batches.filter(each => each !== batch)
  if (!batch) return { treasury: null, step: { type: 'nothing' }, remaining: 0, leftOut, others }
  const { treasury, ready } = batch
  const all = { treasury, remaining: ready.length, leftOut, others }
  const deployment = await findFactoryDeployment(ask)
  if (deployment.state === 'no_proxy') return { ...all, step: { type: 'impossible' } }
  if (deployment.state === 'missing')
    return { ...all, step: { type: 'deploy_factory', transaction: deployment.transaction } }
  const { sweep, refused } = await firstSweep(ask, batch)
  return {
    treasury,
    step: sweep ? { type: 'collect', sweep, amounts: totalsOf(sweptBy(sweep, ready)) } : { type: 'nothing' },
    remaining: remainderOf(ready, sweep, refused),
    leftOut: [...leftOut, ...refusedOf(batch, refused)],
    others,
  }
}

/** Only this asset of each address. */
export const ofAsset = (waiting: readonly Waiting[], asset: string | undefined): readonly Waiting[] =>
  waiting
    .map(each => ({ ...each, held: each.held.filter(held => asset === undefined || held.asset === asset) }))
    .filter(({ held }) => held.length > 0)

/** The largest group that fits into one transaction. Addresses that cannot be collected are replaced by the next ones. */
const firstSweep = async (ask: Ask, { treasury, ready }: TreasuryBatch) => {
  const groups = Map.groupBy(ready, ({ held }) => held.map(({ token }) => token).join())
  const largestFirst = [...groups.values()].sort((a, b) => b.length - a.length)
  const refused: SweepPlan['leftOut'][number][] = []
  for (const some of largestFirst.flatMap(group => partsOf(group, MAX_ADDRESSES_PER_SWEEP))) {
    const { sweeps, leftOut } = await planSweeps(ask, treasury, some.map(depositOf))
    refused.push(...leftOut)
    const [sweep] = sweeps.toSorted((a, b) => b.salts.length - a.salts.length)
    if (sweep) return { sweep, refused }
  }
  return { sweep: undefined, refused }
}

export const depositOf = ({ salt, held }: Ready) => ({ salt, tokens: held.map(({ token }) => token) })

/** The amounts that a transaction moves. */
export const sweptBy = (
  { salts, tokens }: Sweep,
  ready: readonly Ready[],
): readonly { held: readonly HeldAmount[] }[] => {
  const swept = new Set(salts)
  return ready
    .filter(({ salt }) => swept.has(salt))
    .map(({ held }) => ({ held: held.filter(({ token }) => tokens.includes(token)) }))
}

export const refusedOf = ({ treasury, ready }: TreasuryBatch, refused: SweepPlan['leftOut']): readonly LeftOut[] => {
  const tokens = Map.groupBy(refused, ({ salt }) => salt)
  return ready.flatMap(({ salt, held }) => {
    const refusedTokens = tokens.get(salt)?.map(({ token }) => token)
    return refusedTokens
      ? [{ reason: 'refused' as const, treasury, held: held.filter(({ token }) => refusedTokens.includes(token)) }]
      : []
  })
}

const remainderOf = (ready: readonly Ready[], sweep: Sweep | undefined, refused: SweepPlan['leftOut']): number => {
  const gone = new Set(sweep?.salts)
  const stuck = Map.groupBy(refused, ({ salt }) => salt)
  return ready.filter(({ salt, held }) => !gone.has(salt) && (stuck.get(salt)?.length ?? 0) < held.length).length
}
