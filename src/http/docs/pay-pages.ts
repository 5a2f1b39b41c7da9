import type { Docs } from './docs.ts'
import { foreign } from './payment-pages.ts'

export const visitPayPageDocs: Docs = {
  operation: 'visitPaymentLink',
  summary: 'Show the page of a payment link',
  description:
    'HTML page for your customer, with the form that opens a payment. The `url` of the payment link leads to it. `lang` selects the language, otherwise `Accept-Language` does.\n\nA customer with a payment of this link under way is led to its page. With `another`, the form is shown nevertheless.',
  answers: {
    200: 'The link is active.',
    303: null,
    404: 'The link does not exist.',
    410: 'The link is deactivated, completed or expired.',
  },
}

export const openPayPageDocs: Docs = {
  operation: 'openPaymentPage',
  summary: 'Open a payment from its page',
  description:
    'Request of the form on the page of a payment link. Opens a payment and sets the cookie of its page. If the customer has a payment of this link under way, leads to it instead, unless `another` is set. `asset` can contain both parts, as `31337:TUSD`.',
  answers: {
    303: null,
    400: 'A field is not valid. The page shows which, and keeps what was entered.',
    403: foreign,
    404: 'The link does not exist.',
    410: 'The link is deactivated, completed or expired.',
    422: 'The asset cannot be paid with now.',
  },
  example: { email: 'ada@example.com', name: 'Ada Example', asset: '31337:TUSD' },
}
