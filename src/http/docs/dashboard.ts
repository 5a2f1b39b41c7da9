import type { Docs } from './docs.ts'

const answers = { 200: 'The page. It loads its data after the sign-in.' }

export const dashboardDocs: Docs = {
  operation: 'visitDashboard',
  summary: 'Show the dashboard',
  description:
    'HTML page of the dashboard for members of shops. Without a session it asks for the sign-in, or offers to create the first account.',
  answers,
}

export const dashboardPageDocs: Docs = {
  operation: 'visitDashboardPage',
  summary: 'Show a page of the dashboard',
  description:
    'The same page for every address below `/dashboard`, such as `/dashboard/{merchantId}/test/payments`, even if there is no such record, because the caller has not signed in yet.',
  answers,
}
