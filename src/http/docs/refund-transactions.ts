import { example } from '../../fields/examples.ts'
import { refundReadRecord } from '../../records/refund.ts'
import type { Docs } from './docs.ts'

export const nameTransactionDocs: Docs = {
  operation: 'nameRefundTransaction',
  summary: 'Report the transaction of a refund',
  description: [
    'Report the transaction after you have sent `unsignedTransaction` or a transfer of your own. This is not needed if the server finds the transfer itself: its data is the ID of the refund or ends with it, or it comes from your receiving address and fits only one refund. Native currency that a contract such as a Safe sends is not found.',
    'The refund is `processing` until the transaction is final. Then there are these results:',
    '- `processed`: exactly the amount has arrived at the destination, in the asset of the refund, from any sender. If the transaction has also moved other money to the destination, the refund needs your attention.\n- `failed`: with `reverted`, `wrong_asset`, `amount_mismatch` or `wrong_recipient`. The reason is also `wrong_recipient` if the data ends with the ID of another refund, or if the transaction was final before the refund was created and does not contain its ID. In the last case it has moved money, and the refund needs your attention.\n- still `processing`, and needs your attention: the transaction was mined before the refund was created and was not final then; or a contract has sent native currency and the server cannot prove that it arrived. The balance of the destination must rise by exactly the amount in this block. There is no proof if the nodes do not have the balances, or the destination may have sent native currency in the same block.',
    'A transaction pays only one refund. Reporting the same transaction again has no effect.',
    '- After `failed`, another transaction starts the refund again, if the payment still has the amount. If the failed transaction has moved money, use `resolve` first.\n- While the refund is `processing`, another transaction replaces the first one only if the chain does not know the first one: its hash was mistyped, or the wallet has replaced it.\n- If the request returns 409 because the refund is `processing`, `processed` or `canceled`, the transaction is checked anyway. If it has moved the money, it replaces a transaction that is never mined, or the refund needs your attention.',
  ].join('\n\n'),
  answers: { 200: refundReadRecord },
  refusals: ['state_conflict', 'refund_exceeds_remaining', 'credit_exceeds_balance'],
  fields: { txHash: 'Hash of the transaction that pays the refund: `0x` and 64 hexadecimal digits.' },
  example: { txHash: example.txHash },
}
