import type { InvoiceWithLines, Transition } from '../../api/calls.ts'
import type { StateShape } from '../../parts/state-mark.tsx'
import { Timeline } from '../shell/timeline.tsx'
import { useInvoiceTexts } from './invoice-page-texts.ts'

export const InvoiceHistory = ({ invoice: { id } }: { readonly invoice: InvoiceWithLines }) => {
  const { opened, events } = useInvoiceTexts().history
  return (
    <Timeline section="invoices" id={id} call="listInvoiceHistory" opened={opened} events={events} shapeOf={shapeOf} />
  )
}

const ends: Readonly<Record<string, StateShape>> = { paid: 'done', void: 'off', uncollectible: 'over' }

const shapeOf = ({ from, to, event }: Transition): StateShape | undefined => {
  if (event === 'due_date_passed' || event === 'payment_reverted') return 'warn'
  return from === to ? undefined : ends[to]
}
