import { assertEvent, assign, setup } from 'xstate'

/** The numbers of a merchant's invoices or credit notes, of one mode and one year. */
export type DocumentSeriesOpening = {
  merchantId: string
  livemode: boolean
  documentKind: 'invoice' | 'credit_note'
  /** 0 if numbers do not restart every year. */
  year: number
  /** Of the customers of this test clock; null for all others. */
  testClockId: string | null
  firstNumber: number
}

export type DocumentSeries = DocumentSeriesOpening & {
  /** One less than the first number until a number has been given. */
  lastNumber: number
  /** Null until a number has been given. */
  lastIssuedAt: Date | null
  lastDocumentHash: string | null
}

/** Sent in the bundle that issues the document: see `issue` in src/commands/documents.ts. */
export type DocumentSeriesEvent = { at: Date } & (
  | { type: 'issue'; number: number; year: number; issuedAt: Date; documentHash: string }
  | { type: 'set_next_number'; nextNumber: number }
)

export const documentSeriesMachine = setup({
  types: {
    context: {} as DocumentSeries,
    events: {} as DocumentSeriesEvent,
    input: {} as DocumentSeriesOpening & { at: Date },
  },
  actions: {
    recordDocument: assign(({ event }) => {
      assertEvent(event, 'issue')
      return { lastNumber: event.number, lastIssuedAt: event.issuedAt, lastDocumentHash: event.documentHash }
    }),
    setNextNumber: assign(({ event }) => {
      assertEvent(event, 'set_next_number')
      return { firstNumber: event.nextNumber, lastNumber: event.nextNumber - 1 }
    }),
  },
  guards: {
    isNext: ({ context: { year, lastNumber, lastIssuedAt }, event }) =>
      event.type === 'issue' &&
      event.number === lastNumber + 1 &&
      (year === 0 || event.year === year) &&
      (lastIssuedAt === null || event.issuedAt >= lastIssuedAt),
    isNotLowered: ({ context: { lastNumber }, event }) =>
      event.type === 'set_next_number' && event.nextNumber > lastNumber,
  },
}).createMachine({
  id: 'document-series',
  context: ({ input: { at, ...opening } }) => ({
    ...opening,
    lastNumber: opening.firstNumber - 1,
    lastIssuedAt: null,
    lastDocumentHash: null,
  }),
  initial: 'unused',
  states: {
    unused: {
      on: {
        issue: { guard: 'isNext', target: 'in_use', actions: 'recordDocument' },
        set_next_number: { guard: 'isNotLowered', actions: 'setNextNumber' },
      },
    },
    in_use: {
      on: { issue: { guard: 'isNext', actions: 'recordDocument' } },
    },
  },
})
