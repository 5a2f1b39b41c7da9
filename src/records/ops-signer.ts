import { type } from 'arktype'
import { idField } from '../fields/every-record.ts'
import { example } from '../fields/examples.ts'
import { groupOf, recordOf } from '../fields/record.ts'
import { address, atomic, chainId, count, text, textOrNull, time, timeOrNull } from '../fields/wire.ts'
import type { ListedSigner } from '../queries/signer-list.ts'
import { waitReasons } from '../queries/signing.ts'

/** A refund signer with what its chain says. */
export type OpsSigner = ListedSigner & {
  readonly network: string
  /** Native currency of the chain; undefined if the chain is not enabled. */
  readonly asset: string | undefined
  /** Undefined if no node has answered in time. */
  readonly balance: bigint | undefined
}

const wait = groupOf<ListedSigner['waits'][number]>()({
  reason: {
    type: () => type.enumerated(...waitReasons),
    about:
      'Why refunds are not signed, as in the metric `paymachine_refunds_unsigned`: `no_gas`, `no_funds`, `no_answer`, `nonce_ahead`, `refused`, `unreadable_key`, `unsettled`, `fault`, `on_hold`, `over_refund_limit`, `over_day_limit` or `by_hand`.',
    example: 'no_gas' as const,
    of: ({ reason }) => reason,
  },
  count: { type: count, about: 'Number of these refunds.', example: 2, of: row => row.count },
  since: {
    type: time,
    about: 'When the first of them began to wait.',
    example: example.at,
    of: row => row.since.toISOString(),
  },
})

export const opsSignerRecord = recordOf<OpsSigner>()('OpsSigner', {
  merchantId: idField('merchant', row => row.merchantId),
  chainId: { type: chainId, about: 'ID of the chain.', example: 8453, of: row => row.chainId },
  network: { type: text, about: 'Name of the network.', example: 'Base', of: ({ network }) => network },
  address: {
    type: address,
    about: 'Address that sends the refunds. It needs native currency for gas, and the assets to refund.',
    example: example.address,
    of: row => row.address,
  },
  status: {
    type: () => type("'on' | 'off' | 'on_hold' | 'removed'"),
    about:
      '`on`: it signs. `off`: `refundMode` of the merchant is `manual`. `on_hold`: it signs nothing until it is released. `removed`: it signs nothing new; what it has signed is not final yet.',
    example: 'on' as const,
    of: ({ isRemoved, isOnHold, isOn }) => (isRemoved ? 'removed' : isOnHold ? 'on_hold' : isOn ? 'on' : 'off'),
  },
  asset: {
    type: textOrNull,
    about: 'Native currency of the chain, which pays for gas. It has 18 decimals. Null if the chain is not enabled.',
    example: 'ETH',
    of: ({ asset }) => asset ?? null,
  },
  balance: {
    type: () => atomic().or('null'),
    about: 'Balance in the native currency, in its smallest unit. Null if no node has answered within two seconds.',
    example: '31000000000000000',
    of: ({ balance }) => balance?.toString() ?? null,
  },
  openTransactions: {
    type: count,
    about: 'Signed transactions that are not final.',
    example: 0,
    of: ({ open }) => open,
  },
  unclearSince: {
    type: timeOrNull,
    about: 'Since when a nonce is used without a node that shows by which transaction. Null if there is none.',
    example: null,
    of: row => row.unclearSince?.toISOString() ?? null,
  },
  waits: {
    type: () => wait.type().array(),
    about: 'Refunds that it should sign and has not, by reason.',
    inside: wait.inside,
    example: [wait.example],
    of: ({ waits }) => waits.map(wait.render),
  },
})
