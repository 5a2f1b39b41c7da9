import type { Docs } from './docs.ts'

const answers = { 200: 'The page. It loads its data after the sign-in.' }

export const opsFrameDocs: Docs = {
  operation: 'visitOps',
  summary: 'Show the pages for operators',
  description: 'HTML page for operators of the server. Without a session it asks for the sign-in.',
  answers,
}

export const opsPageDocs: Docs = {
  operation: 'visitOpsPage',
  summary: 'Show a page for operators',
  description: 'The same page for every address below `/ops`, such as `/ops/machines/payment`.',
  answers,
}
