import type { Docs } from './docs.ts'
import { foreign } from './payment-pages.ts'

const missing = 'The plan does not exist.'
const archived = 'The plan is archived. The page says that it is no longer offered.'

export const visitPlanPageDocs: Docs = {
  operation: 'visitPlan',
  summary: 'Show the page of a plan',
  description:
    'Public HTML page on which a customer subscribes: name, description, price with tax, trial, and what happens next. The `url` of the plan leads to it. `lang` selects the language, otherwise `Accept-Language` does.',
  answers: { 200: 'The plan.', 404: missing, 410: archived },
}

export const subscribeOnPageDocs: Docs = {
  operation: 'subscribeOnPlanPage',
  summary: 'Subscribe on the page of a plan',
  description:
    'Request of the form on the page of a plan, with the rules and limits of `POST /v1/checkout/plans/:planId/subscriptions`. Leads to the page of the subscription, which leads to that of its first invoice.',
  answers: {
    303: null,
    400: 'The e-mail address or the name is not valid. The page shows which.',
    403: foreign,
    404: missing,
    409: 'The shop cannot take subscriptions to the plan now. The page says why.',
    410: archived,
  },
  example: { email: 'ada@example.com' },
}
