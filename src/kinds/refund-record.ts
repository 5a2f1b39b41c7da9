import { type } from 'arktype'
import { type Refund, refundMachine } from '../../machines/refund.ts'
import type { Actor } from '../actors/kind.ts'
import { checksummed, checksummedOrNull } from '../chain/checksum.ts'
import { actorFields, constantField, idField } from '../fields/every-record.ts'
import { example } from '../fields/examples.ts'
import { groupOf, recordOf } from '../fields/record.ts'
import {
  address,
  atomic,
  chainId,
  count,
  currency,
  idOf,
  minor,
  text,
  textOrNull,
  texts,
  txHash,
} from '../fields/wire.ts'
import { encodeId } from '../ids.ts'
import { lazy } from '../lazy.ts'

/** Facts that are not in the row of the refund. Without them the record is the one in events. */
export type RefundFacts = {
  /** Up to the current head of the chain; the row has the number at the final result. */
  readonly confirmations?: number
  /** Only for callers that can refund. */
  readonly claimUrl?: string | null
  readonly unsignedTransaction?: UnsignedTransaction | null
}

export type UnsignedTransaction = { chainId: number; to: string; data: string; value: string }

export const refundStatus = lazy(() => type.enumerated(...Object.keys(refundMachine.states)))

export const refundReason = lazy(() =>
  type("'requested_by_customer' | 'duplicate' | 'fraudulent' | 'overpayment' | 'late_payment' | 'other'"),
)

const crypto = groupOf<Actor<Refund>, RefundFacts>()({
  chainId: { type: chainId, example: 31337, of: ({ context }) => context.chainId },
  asset: { type: text, example: 'TUSD', of: ({ context }) => context.asset },
  tokenAddress: {
    type: () => address().or('null'),
    example: example.address,
    of: ({ context }) => checksummedOrNull(context.tokenAddress),
  },
  amount: {
    type: atomic,
    about: 'Amount of the refund, in atomic units of the asset, as a decimal string.',
    example: '16200000',
    of: ({ context }) => String(context.amount),
  },
  txHash: {
    type: () => txHash().or('null'),
    about: 'Hash of the transaction that pays the refund. Null as long as there is none.',
    example: null,
    of: ({ context }) => context.txHash,
  },
  confirmations: {
    type: count,
    about: 'Number of confirmations of the transaction. 0 as long as it is in no block.',
    example: 0,
    of: ({ context }, { confirmations }) => confirmations ?? context.confirmations,
  },
})

const unsignedTransaction = groupOf<UnsignedTransaction>()({
  chainId: { type: chainId, example: 31337, of: ({ chainId }) => chainId },
  to: { type: address, example: example.address, of: ({ to }) => checksummed(to) },
  data: {
    type: () => type(/^0x([0-9a-f]{2})*$/),
    about:
      'Call data in hexadecimal: the transfer of the token, followed by the 16 bytes of the refund ID. `0x` for native currency.',
    example: '0x',
    of: ({ data }) => data,
  },
  value: {
    type: atomic,
    about: 'Amount of native currency in atomic units, as a decimal string. Wallets expect it in hexadecimal.',
    example: '0',
    of: ({ value }) => value,
  },
})

export const refundRecord = recordOf<Actor<Refund>, RefundFacts>()('Refund', {
  object: constantField('refund'),
  id: idField('refund', refund => refund.id),
  paymentId: idField('payment', ({ context }) => context.paymentId),
  merchantId: actorFields.merchantId,
  creditNoteId: {
    type: () => idOf('cn').or('null'),
    about:
      'Credit note that the refund was issued with. If the refund is canceled, its amount becomes credit of the customer. Null for other refunds.',
    example: null,
    of: ({ context }) => (context.creditNoteId === null ? null : encodeId('cn', context.creditNoteId)),
  },
  amountMinor: { type: minor, example: 1500, of: ({ context }) => context.amountMinor },
  currency: { type: currency, example: 'EUR', of: ({ context }) => context.currency },
  status: {
    type: refundStatus,
    about:
      '`requires_destination`: waiting for the address of the customer. `requires_signature`: waiting for a signed transaction. `processing`: its transaction is known and not final yet. `processed`: paid; final. `failed`: see `failureReason`; can be retried. `canceled`: you canceled it.',
    example: 'requires_signature',
    of: ({ state }) => state,
  },
  reason: {
    type: () => refundReason().or('null'),
    about: 'Reason for the refund. Null if none was given.',
    example: 'requested_by_customer',
    of: ({ context }) => context.reason,
  },
  failureReason: {
    type: () =>
      type("'reverted' | 'wrong_recipient' | 'wrong_asset' | 'amount_mismatch' | 'dropped' | 'unproven' | null"),
    about:
      'Reason for the failure: `reverted`, `wrong_recipient`, `wrong_asset`, `amount_mismatch`; `dropped` (another transaction has used the nonce, so it can never be mined); or `unproven` (a member stated that the money did not arrive). Null unless the status is `failed`.',
    example: null,
    of: ({ context }) => context.failureReason,
  },
  destination: {
    type: () => address().or('null'),
    about:
      'Address that receives the refund. Null as long as it is not known: without a destination, the customer is asked for one on the claim page.',
    example: example.address,
    of: ({ context }) => context.destination,
  },
  claimUrl: {
    type: textOrNull,
    about:
      'Page on which the customer enters the address for the refund. Null unless the status is `requires_destination` and the page has not expired. Shown only to keys with `refunds:write`, owners and developers; always null in events.',
    example: null,
    of: (_, { claimUrl }) => claimUrl ?? null,
  },
  crypto: { ...crypto, about: 'The refund on the chain.', of: crypto.render },
  unsignedTransaction: {
    ...unsignedTransaction,
    type: () => unsignedTransaction.type().or('null'),
    about:
      'Transaction that pays the refund, for you to sign. Null unless the status is `requires_signature` and the refund has to be signed manually; always null in the sandbox. A refund that your refund signer can sign has none. A refund above the limits of the signer gets one, and is then not signed by any signer. A failed refund gets one again after `retry`. Before you sign, read the refund again: a replayed response to the request that created the refund can contain a transaction that has been sent since. Shown only to keys with `refunds:write`, owners and developers; always null in events.',
    example: null,
    of: (_, facts) => (facts.unsignedTransaction ? unsignedTransaction.render(facts.unsignedTransaction) : null),
  },
  metadata: { type: texts, example: {}, of: ({ context }) => context.metadata },
  livemode: actorFields.livemode,
  createdAt: actorFields.createdAt,
  updatedAt: actorFields.updatedAt,
})
