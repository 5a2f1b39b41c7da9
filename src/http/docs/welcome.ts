import type { Docs } from './docs.ts'

export const visitFirstPageDocs: Docs = {
  operation: 'visitFirstPage',
  summary: 'Show the first page of the server',
  description:
    'HTML page that says what this server is and where to go next. While there is no account, it shows how to create the first one.',
  answers: { 200: 'The page.' },
}
