import type { InvoiceWithLines, Transition } from '../../api/calls.ts'
import { useReader } from '../../parts/reader.ts'
import type { StateShape } from '../../parts/state-mark.tsx'
import { Timeline } from '../shell/timeline.tsx'
import { useInvoiceTexts } from './invoice-page-texts.ts'

export const InvoiceHistory = ({ invoice }: { readonly invoice: InvoiceWithLines }) => {
  const { id, creditAppliedMinor, currency } = invoice
  const { opened, events, finalizedWithCredit } = useInvoiceTexts().history
  const { formats } = useReader()
  // Credit is applied by the finalization, without a transition of its own.
  const finalize =
    creditAppliedMinor > 0 ? finalizedWithCredit(formats.money(creditAppliedMinor, currency)) : events.finalize
  return (
    <Timeline
      section="invoices"
      id={id}
      call="listInvoiceHistory"
      opened={opened}
      events={{ ...events, finalize }}
      shapeOf={shapeOf}
    />
  )
}

const ends: Readonly<Record<string, StateShape>> = { paid: 'done', void: 'off', uncollectible: 'over' }

const shapeOf = ({ from, to, event }: Transition): StateShape | undefined => {
  if (event === 'due_date_passed' || event === 'payment_reverted') return 'warn'
  return from === to ? undefined : ends[to]
}
