import { analyticsShape, analyticsSummaryShape } from '../../records/shapes/analytics.ts'
import type { Docs } from './docs.ts'

export const getAnalyticsSeriesDocs: Docs = {
  operation: 'getAnalyticsSeries',
  summary: 'Retrieve figures over time',
  description: [
    'Counts and sums of payments by hour, day, week (from Monday) or month in a time zone, or of the whole time in one bucket (`total`). A count belongs to the bucket in which the thing happened; `conversionBps` follows the payments that were opened in the bucket. A local day has 23 or 25 hours when daylight saving time changes.',
    '`from` is inclusive and `to` exclusive: a date (midnight in the time zone) or a time, which is extended to the quarter-hour. Default: the last 30 days. At most 400 buckets. `bucket=hour` and another time zone than that of the merchant (`settings/billing`) go back 400 days, and another time zone with a `breakdown` 35 days.',
    '`link`, with `breakdown=link`: only that payment link, also if it is not among the 50 largest. A link that is counted as `single_use` has no figures of its own.',
    'Figures are at most 2 seconds behind. After the time zone of the merchant has changed, they are in the former one until they have been counted anew, and `timeZone` names it.',
  ].join('\n\n'),
  answers: { 200: analyticsShape },
}

export const getAnalyticsSummaryDocs: Docs = {
  operation: 'getAnalyticsSummary',
  summary: 'Retrieve a summary of figures',
  description:
    'The figures of payments between `from` and `to` (by default the last 30 days) in the time zone of the merchant, what was invoiced, what is owed and subscribed now, and what needs a person.',
  answers: { 200: analyticsSummaryShape },
}
