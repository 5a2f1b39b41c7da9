import { example } from '../../records/shapes/wire.ts'
import type { Docs } from '../openapi/docs.ts'

const missing = 'There is no such page. What cannot be a secret is answered in the same way.'
const closed = 'It is too late: 30 days are over, or the refund has been canceled.'

export const visitClaim: Docs = {
  operation: 'visitRefundClaim',
  summary: 'Visit the page of a refund',
  description:
    'Where the customer of a refund says where it goes. Looking at it changes nothing, so that whoever shows a preview of a link may open it.',
  answers: { 200: 'The page, or that the address has been named.', 404: missing, 410: closed },
}

export const nameDestination: Docs = {
  operation: 'nameRefundDestination',
  summary: 'Say where a refund goes',
  description:
    'What the form of the page sends. The address is shown once more in full, and named when it comes again with `confirmed`; that cannot be taken back. With a `signature` it is known that whoever named it holds its key.',
  answers: {
    200: 'The address to confirm, or that it has been named.',
    404: missing,
    409: 'Another address has been named before.',
    410: closed,
    422: 'The address is none that can be paid (`invalid_destination`), or another key has signed (`invalid_signature`).',
  },
  example: { address: example.address, signature: '', confirmed: 'yes' },
}
