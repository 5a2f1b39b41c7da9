import type { InvoiceWithLines, SubscriptionWithLines } from '../../api/calls.ts'

export type ActionProps = {
  readonly subscription: SubscriptionWithLines
  /** Those that are known. */
  readonly invoices: readonly InvoiceWithLines[]
}

export type ActionDialogProps = ActionProps & { readonly onClose: () => void }
