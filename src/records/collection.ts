import type { Chain } from '../chain/chain.ts'
import { checksummed } from '../chain/checksum.ts'
import type { TransactionRequest } from '../chain/collect/send.ts'
import type { Collection } from '../collect/collection.ts'
import type { LeftOut } from '../collect/ready.ts'
import { totalsOf } from '../collect/waiting.ts'
import { amountRecord } from './balance.ts'

/** The next transaction that collects, and what remains. It is created for the request and not stored. */
export const collectionRecord = (chain: Chain, asset: string | undefined, collection: Collection) => {
  const { treasury, step, remaining, leftOut, others } = collection
  const sweep = step.type === 'collect' ? step.sweep : undefined
  const transaction = step.type === 'deploy_factory' ? step.transaction : sweep
  return {
    object: 'collection',
    chainId: chain.id,
    network: chain.network,
    asset: asset ?? null,
    treasury: treasury === null ? null : checksummed(treasury),
    step: step.type,
    unsignedTransaction: transaction ? unsigned(chain, transaction) : null,
    addresses: sweep?.salts.length ?? 0,
    gasPerAddress: sweep?.gasPerAddress ?? null,
    amounts: step.type === 'collect' ? step.amounts.map(totalRecord) : [],
    remaining,
    leftOut: leftOutRecords(leftOut),
    otherTreasuries: others.map(each => ({ treasury: checksummed(each.treasury), addresses: each.ready.length })),
    livemode: chain.livemode,
  }
}

const unsigned = ({ id }: Chain, { to, data, gasLimit }: TransactionRequest) => ({
  chainId: id,
  to: checksummed(to),
  data,
  value: '0',
  gas: Number(gasLimit),
})

const totalRecord = (total: ReturnType<typeof totalsOf>[number]) => ({
  ...amountRecord(total),
  addresses: total.addresses,
})

/** As sums, because one reason can apply to thousands of addresses. */
const leftOutRecords = (leftOut: readonly LeftOut[]) =>
  [...Map.groupBy(leftOut, ({ reason, treasury }) => `${reason} ${treasury}`).values()].flatMap(group =>
    totalsOf(group).map(total => ({
      reason: group[0]?.reason,
      treasury: checksummed(group[0]?.treasury ?? ''),
      ...totalRecord(total),
    })),
  )
