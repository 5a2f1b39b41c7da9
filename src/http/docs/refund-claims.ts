import { example } from '../../fields/examples.ts'
import type { Docs } from './docs.ts'

const missing = 'The page does not exist. A malformed secret returns the same page.'
const closed = 'The page is closed: it has expired after 30 days, or the refund was canceled.'

export const visitClaimDocs: Docs = {
  operation: 'visitRefundClaim',
  summary: 'Show the claim page of a refund',
  description:
    'HTML page on which the customer enters the address for the refund. Opening it changes nothing, so link previews are safe.',
  answers: { 200: 'The page: a form, or the address that has already been entered.', 404: missing, 410: closed },
}

export const nameDestinationDocs: Docs = {
  operation: 'nameRefundDestination',
  summary: 'Set the destination of a refund',
  description:
    'Request of the form on the claim page. The response shows the address for confirmation. The address is stored when it is sent again with `confirmed`; it cannot be changed afterwards. A `signature` proves that the sender has the private key of the address.',
  answers: {
    200: 'The address to confirm, or the confirmation that it is stored.',
    404: missing,
    409: 'Another address was stored before.',
    410: closed,
    422: 'The refund cannot be sent to the address (`invalid_destination`), or the signature is not by the key of the address (`invalid_signature`).',
  },
  fields: {
    address: 'Address that receives the refund.',
    confirmed:
      'Send `yes` to set the address. Without it the address is not stored: the response is a page that asks the customer to confirm it.',
    signature:
      'Signature of the message on the page with the private key of the address, as `personal_sign` creates it. Optional; may be empty.',
  },
  example: { address: example.address, signature: '', confirmed: 'yes' },
}
