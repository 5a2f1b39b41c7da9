import type { InvoiceWithLines } from '../../api/calls.ts'
import { SkeletonRows } from '../../parts/skeleton.tsx'
import { RemindersUnheard, useReminderEndpoints } from '../settings/reminder-endpoints.tsx'
import { InvoicesTable } from './invoices-table.tsx'

type InvoiceListProps = { readonly rows: readonly InvoiceWithLines[]; readonly narrow?: boolean }

/** Invoices, below a warning if one of them has a planned reminder and no endpoint receives it. */
export const InvoiceList = ({ rows, narrow = false }: InvoiceListProps) => {
  const { isRead } = useReminderEndpoints()
  const isReminded = rows.some(hasPlannedReminder)
  // The warning would push the table down.
  if (isReminded && !isRead) return <SkeletonRows rows={rows.length} />
  return (
    <>
      {isReminded && <RemindersUnheard />}
      <InvoicesTable rows={rows} narrow={narrow} />
    </>
  )
}

export const hasPlannedReminder = ({ status, reminders }: InvoiceWithLines): boolean =>
  status === 'open' && reminders.some(({ sentAt }) => sentAt === null)
