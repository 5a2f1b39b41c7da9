import type { InvoiceWithLines } from '../../api/calls.ts'
import { CopyButton } from '../../parts/copy.tsx'
import { Moment } from '../../parts/moment.tsx'
import { useReader } from '../../parts/reader.ts'
import { useCustomerName } from '../customers/customer-name.ts'
import { useCustomer } from '../customers/use-customer.ts'
import { AddressLines } from '../postal-address/address-lines.tsx'
import { RemindersUnheard } from '../settings/reminder-endpoints.tsx'
import { networkNameOf } from '../shell/chains.ts'
import { Facts, Section } from '../shell/record.tsx'
import { useAddress } from '../shell/shop.ts'
import { useCustomerTime } from '../test-clocks/use-clock.ts'
import { useInvoiceCustomer } from './invoice-customer.ts'
import { hasPlannedReminder } from './invoice-list.tsx'
import { useInvoiceTexts } from './invoice-page-texts.ts'

type InvoiceProps = { readonly invoice: InvoiceWithLines }

/** The parties as the invoice names them, its dates and texts, and why it cannot be voided. */
export const InvoiceDetails = ({ invoice }: InvoiceProps) => {
  const { details: texts, id: idLabel } = useInvoiceTexts()
  const { formats } = useReader()
  const { id, status, issueDate, dueDate, reference, notes, assets, metadata } = invoice
  const { createdAt, paidAt, voidedAt, retainedUntil, subscription } = invoice
  const address = useAddress()
  const moment = (at: string | null) => at !== null && <Moment at={at} />
  return (
    <Section title={texts.title}>
      <Facts
        facts={[
          [texts.customer, <Customer invoice={invoice} />],
          [
            texts.subscription,
            subscription !== null && (
              <a href={address('subscriptions', subscription.id)}>{texts.period(subscription.periodIndex + 1)}</a>
            ),
          ],
          [texts.seller, status !== 'draft' && <Seller invoice={invoice} />],
          [texts.issued, issueDate !== null && formats.day(issueDate)],
          [texts.due, dueDate !== null && formats.day(dueDate)],
          [texts.paidAt, moment(paidAt)],
          [texts.voidedAt, moment(voidedAt)],
          [texts.reminders, status !== 'draft' && <Reminders invoice={invoice} />],
          [texts.reference, reference],
          [texts.notes, notes !== null && <span class="invoice-notes">{notes}</span>],
          [
            texts.assets,
            assets?.map(({ asset, chainId }) => (
              <div key={`${asset} ${chainId}`}>
                {asset} · {networkNameOf(chainId)}
              </div>
            )),
          ],
          [
            idLabel,
            <>
              <code>{id}</code> <CopyButton value={id} what={idLabel} />
            </>,
          ],
          [texts.status, <code>{status}</code>],
          [texts.created, moment(createdAt)],
          [texts.retained, retainedUntil !== null && formats.date(retainedUntil)],
          ...Object.entries(metadata).map(([key, value]) => [<code>{key}</code>, value] as const),
        ]}
      />
      {hasPlannedReminder(invoice) && <RemindersUnheard />}
      <VoidRefusal invoice={invoice} />
    </Section>
  )
}

const Customer = ({ invoice }: InvoiceProps) => {
  const { details: texts } = useInvoiceTexts()
  const address = useAddress()
  const customer = useInvoiceCustomer(invoice)
  const nameOf = useCustomerName()
  if (!customer) return null
  const { name, company, email, taxId, address: postal } = customer
  return (
    <>
      <a href={address('customers', invoice.customerId)}>{nameOf(customer)}</a>
      {invoice.customer === null && (
        <span class="under">{invoice.status === 'draft' ? texts.customerNow : texts.removed}</span>
      )}
      {name !== null && company !== null && <span class="under">{company}</span>}
      {(name ?? company) !== null && <span class="under">{email}</span>}
      {postal !== null && (
        <span class="under">
          <AddressLines address={postal} />
        </span>
      )}
      {taxId !== null && <span class="under">{texts.taxId(taxId)}</span>}
    </>
  )
}

const Seller = ({ invoice: { seller } }: InvoiceProps) => {
  const { details: texts } = useInvoiceTexts()
  if (seller === null) return <span class="quiet">{texts.removed}</span>
  const { legalName, address, taxId } = seller
  return (
    <>
      {legalName ?? <span class="quiet">{texts.sellerNone}</span>}
      {address !== null && (
        <span class="under">
          <AddressLines address={address} />
        </span>
      )}
      {taxId !== null && <span class="under">{texts.taxId(taxId)}</span>}
    </>
  )
}

/** Reminders that were created, and, as long as the invoice is open, the others. */
const Reminders = ({ invoice: { status, reminders, customerId } }: InvoiceProps) => {
  const { details: texts } = useInvoiceTexts()
  const { formats, now } = useReader()
  const customer = useCustomer(customerId).data
  const customerTime = useCustomerTime(customer)
  const hasPassed = (at: string) => customer !== undefined && customerTime !== undefined && new Date(at) <= customerTime
  const shown = reminders.filter(({ sentAt }) => sentAt !== null || status === 'open')
  if (shown.length === 0) return <span class="quiet">{texts.noReminders}</span>
  return (
    <>
      {shown.map(({ offsetDays, at, sentAt }) => {
        const time = formats.listed(sentAt ?? at, now.value)
        return (
          <div key={offsetDays}>
            {sentAt === null ? texts[hasPassed(at) ? 'skipped' : 'planned'](time) : texts.reminded(time)}
          </div>
        )
      })}
    </>
  )
}

/** Money that has arrived, or is about to. An invoice with such money cannot be voided. */
export const receivedMinor = (invoice: InvoiceWithLines): number =>
  invoice.amountPaidMinor + invoice.amountOverpaidMinor + invoice.amountProcessingMinor

const VoidRefusal = ({ invoice }: InvoiceProps) => {
  const { void: texts } = useInvoiceTexts()
  const { formats } = useReader()
  const { status, currency } = invoice
  const received = receivedMinor(invoice)
  if ((status !== 'open' && status !== 'uncollectible') || received === 0) return null
  return <p class="quiet">{texts.cannot(formats.money(received, currency))}</p>
}
