import type { PrintedDocument } from '../../../billing/document/document.ts'
import { customerLines, sellerLines } from '../../../billing/document/party.ts'
import { valuesIn } from '../../../billing/document/values.ts'
import { documentTitle, namedSums, remarkOfLine, taxNotesOf } from '../../../billing/document/wording.ts'
import type { SummedInvoice } from '../../../billing/invoice-sums.ts'
import type { BillingSettings } from '../../api/calls.ts'
import { useCustomer } from '../customers/use-customer.ts'
import { enteredAddress } from '../postal-address/address-draft.ts'
import { useSettled } from '../shell/settled.ts'
import { useAddress, useIsOwner, useShop } from '../shell/shop.ts'
import { useInvoiceEditorTexts } from './editor-texts.ts'
import { type InvoiceDraft, invoiceBodyOf, sumDraft } from './invoice-draft.ts'
import { missingSeller } from './missing-seller.ts'

type InvoicePreviewProps = { readonly draft: InvoiceDraft; readonly settings: BillingSettings }

/** The document as the customer will see it, in the language of the customer. It follows when typing pauses. */
export const InvoicePreview = ({ draft, settings }: InvoicePreviewProps) => {
  const shown = useSettled(draft)
  const { customer } = shown
  const seller = useSeller(settings)
  return (
    <div class="previewed">
      <NoSeller settings={settings} />
      {customer.by === 'search' && customer.id !== undefined ? (
        <WithCustomer id={customer.id} draft={shown} seller={seller} />
      ) : (
        <Sheet document={documentOf(shown, seller, enteredParty(shown))} />
      )}
    </div>
  )
}

/** Why the preview has no seller, and where to change that. */
const NoSeller = ({ settings }: Pick<InvoicePreviewProps, 'settings'>) => {
  const texts = useInvoiceEditorTexts()
  const address = useAddress()
  const isOwner = useIsOwner()
  const missing = missingSeller(settings)
  if (missing.length === 0) return null
  const names = missing.map(field => texts.missing[field]).join(', ')
  return (
    <p class="hint">
      {settings.livemode ? texts.noSeller(names) : texts.noSellerTest(names)}{' '}
      {isOwner ? <a href={`${address('settings')}?part=billing`}>{texts.toSettings}</a> : texts.askOwner}
    </p>
  )
}

type Seller = Pick<PrintedDocument, 'seller' | 'isTest'>

/** As the PDF shows it: in test mode, the merchant's name stands for a legal name that is missing. */
const useSeller = ({ legalName, taxId, address, livemode }: BillingSettings): Seller => {
  const { merchant } = useShop()
  return {
    seller: { legalName: legalName ?? (livemode ? null : merchant.name), taxId, address },
    isTest: !livemode,
  }
}

type WithCustomerProps = { readonly id: string; readonly draft: InvoiceDraft; readonly seller: Seller }

const WithCustomer = ({ id, draft, seller }: WithCustomerProps) => {
  const { data } = useCustomer(id)
  return <Sheet document={documentOf(draft, seller, data ?? noParty)} />
}

type Party = PrintedDocument['customer'] & { readonly locale?: string | null }

const noParty: Party = { company: null, name: null, email: null, taxId: null, address: null }

const enteredParty = ({ customer }: InvoiceDraft): Party =>
  customer.by === 'search'
    ? noParty
    : {
        ...noParty,
        ...{ company: customer.company.trim() || null, name: customer.name.trim() || null },
        ...{ email: customer.email.trim() || null, taxId: customer.taxId.trim() || null },
        address: enteredAddress(customer.address),
      }

const documentOf = (draft: InvoiceDraft, seller: Seller, customer: Party): PrintedDocument | undefined => {
  const summed: SummedInvoice = sumDraft(draft)
  if (!summed.ok) return undefined
  const { lines: amounts, ...sums } = summed.sums
  const { lines, reference = null, orderNumber = null, notes = null, dueDate = null } = invoiceBodyOf(draft)
  return {
    ...sums,
    ...{ kind: 'invoice', locale: /^de\b/i.test(customer.locale ?? '') ? 'de' : 'en', number: null, issueDate: null },
    ...{ currency: draft.currency, taxBehavior: draft.taxBehavior, customer, ...seller },
    lines: lines.map((line, at) => ({
      ...{ description: line.description, quantity: line.quantity ?? '1', unitAmountMinor: line.unitAmountMinor },
      ...{ taxCategory: line.taxCategory ?? 'standard', taxRateBps: line.taxRateBps ?? 0 },
      ...{ taxNote: line.taxNote ?? null, periodStart: line.periodStart ?? null, periodEnd: line.periodEnd ?? null },
      amountMinor: amounts[at]?.amountMinor ?? 0,
    })),
    ...{ reference, orderNumber, notes, dueDate: dueDate || null },
    ...{ creditAppliedMinor: 0, creditNotesMinor: 0, amountPaidMinor: 0, amountDueMinor: sums.totalMinor },
    canceledBy: null,
  }
}

/** The document itself. It is drawn from the values and words that its PDF is drawn from. */
const Sheet = ({ document }: { readonly document: PrintedDocument | undefined }) => {
  const { preview, outOfRangeWhat } = useInvoiceEditorTexts()
  if (!document)
    return (
      <figure class="preview">
        <figcaption>{preview}</figcaption>
        <p class="preview__none">{outOfRangeWhat}</p>
      </figure>
    )
  const { locale, currency, lines, notes, totalMinor, seller, customer } = document
  const values = valuesIn(locale, currency)
  const { texts, money } = values
  const facts = [
    [texts.dueDate, document.kind === 'invoice' && document.dueDate && values.date(document.dueDate)],
    [texts.orderNumber, document.orderNumber],
    [texts.reference, document.reference],
  ] as const
  const taxNotes = taxNotesOf(values, document)
  return (
    <figure class="preview paper">
      <figcaption>{preview}</figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long document must be reachable to be scrolled */}
      <section class="preview__sheet paper__sheet" lang={locale} aria-label={preview} tabIndex={0}>
        <div class="paper__parties">
          <Place lines={customerLines(document)} taxId={customer.taxId && texts.taxId(customer.taxId)} />
          <Place lines={sellerLines(document)} taxId={seller.taxId && texts.taxId(seller.taxId)} />
        </div>
        <div>
          <b class="paper__title">{documentTitle(values, document)}</b>
          <p class="quiet">{texts.draftNote}</p>
        </div>
        {facts.some(([, value]) => value) && (
          <dl class="paper__facts">
            {facts.map(
              ([name, value]) =>
                value && (
                  <div key={name}>
                    <dt>{name}</dt>
                    <dd>{value}</dd>
                  </div>
                ),
            )}
          </dl>
        )}
        <table class="paper__lines">
          <thead>
            <tr>
              <th>{texts.description}</th>
              <th>{texts.quantity}</th>
              <th>{texts.unitAmount}</th>
              <th>{document.taxBehavior === 'inclusive' ? texts.amountWithTax : texts.amount}</th>
            </tr>
          </thead>
          <tbody>
            {lines.map((line, at) => (
              <tr key={at}>
                <td>
                  {line.description || '–'}
                  <span class="under">
                    {[values.rate(line.taxRateBps), remarkOfLine(values, line)].filter(Boolean).join(' · ')}
                  </span>
                </td>
                <td>{line.quantity !== null && values.quantity(line.quantity)}</td>
                <td>{line.unitAmountMinor !== null && money(line.unitAmountMinor)}</td>
                <td>{money(line.amountMinor)}</td>
              </tr>
            ))}
          </tbody>
        </table>
        <dl class="sums">
          {namedSums(values, document).map(([name, amountMinor]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{money(amountMinor)}</dd>
            </div>
          ))}
          <div class="strong">
            <dt>{texts.total}</dt>
            <dd>{money(totalMinor)}</dd>
          </div>
        </dl>
        {[[texts.taxNotes, taxNotes] as const, [texts.notes, notes === null ? [] : [notes]] as const].map(
          ([heading, paragraphs]) =>
            paragraphs.length > 0 && (
              <div key={heading}>
                <b>{heading}</b>
                {paragraphs.map(each => (
                  <p key={each} class="paper__text">
                    {each}
                  </p>
                ))}
              </div>
            ),
        )}
      </section>
    </figure>
  )
}

type PlaceProps = { readonly lines: readonly string[]; readonly taxId: string | null }

const Place = ({ lines: [name, ...address], taxId }: PlaceProps) => (
  <p>
    <b>{name ?? '–'}</b>
    {[...address, ...(taxId === null ? [] : [taxId])].map((line, n) => (
      <span key={n}>{line}</span>
    ))}
  </p>
)
