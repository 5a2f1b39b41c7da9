import { refundShape } from '../../records/shapes/refund.ts'
import { example } from '../../records/shapes/wire.ts'
import type { Docs } from '../openapi/docs.ts'

export const nameTransaction: Docs = {
  operation: 'nameRefundTransaction',
  summary: 'Name the transaction of a refund',
  description:
    'Once `unsignedTransaction`, or a transfer of your own, is sent (what carries the refund’s id, as all or the end of its data, or comes from your receiving address and fits one refund alone, is found without being named; coins from a contract, such as a Safe, are not): the refund is `processing`, and the chain decides once the transaction is final. It is `processed` by a transfer of exactly the amount and asset to the destination, from whatever address; what else came with it is for a person to look at (`attention=true`). Anything else is `failed`: `reverted`, `wrong_asset`, `amount_mismatch`, or `wrong_recipient`, which it also is when the call ends in the id of another refund, or when it was final on the chain before the refund was asked for, without carrying its id (it has moved money then, and is for a person to look at; one that was mined by then and not yet final leaves the refund `processing`, for a person). Coins that a contract sends on, such as a Safe, are seen by the balance of the destination, which must rise by exactly the amount in that block; where nodes cannot tell, or the destination may have sent coins in the same block, the refund stays `processing` and is for a person. A transaction pays one refund. One that has failed starts over with another transaction, if the payment still has the amount; where the failed one has moved money a person must look first (`resolve`). While one is processing another takes its place only where the chain knows nothing of the first: it was mistyped, or a wallet has replaced it. One that is refused because the refund is processing, processed or canceled is looked at all the same: if it has moved the money it takes the place of what never comes, or is for a person to look at. The same transaction may be named again, and changes nothing.',
  answers: { 200: refundShape },
  refusals: ['state_conflict', 'refund_exceeds_remaining'],
  example: { txHash: example.txHash },
}
