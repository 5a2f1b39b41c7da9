import type { Docs } from './docs.ts'

export const visitReceiptDocs: Docs = {
  operation: 'visitReceipt',
  summary: 'Show the receipt of a payment',
  description:
    'HTML page for printing, with the transfers of the payment and how to check them without this server. The `receiptUrl` of the payment leads to it. Its token reads the receipt and nothing else. The page has no e-mail address.',
  answers: {
    200: 'The receipt.',
    404: 'The payment does not exist or has not succeeded, or the token is wrong.',
  },
}
