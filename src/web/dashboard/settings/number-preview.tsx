import type { BillingSettings } from '../../api/calls.ts'
import { useReader } from '../../parts/reader.ts'
import { type BillingEdits, billingDraftOf, nextCreditNoteNumberIn, nextNumberIn } from './billing-draft.ts'
import { exampleNumber, patternFault } from './document-number.ts'
import { useSettingsTexts } from './texts.ts'
import { yearIn } from './time-zones.ts'

type NumberPreviewProps = { readonly edits: BillingEdits; readonly settings: BillingSettings }

/** The next numbers, as they would be with what is typed. */
export const NumberPreview = ({ edits, settings }: NumberPreviewProps) => {
  const { billing: texts } = useSettingsTexts()
  const { now } = useReader()
  const { numberPattern, restart, invoicePrefix, creditNotePrefix, timeZone } = {
    ...billingDraftOf(settings),
    ...edits,
  }
  const year = yearIn(timeZone.trim(), now.value) ?? yearIn(settings.timeZone, now.value)
  const number = nextNumberIn(edits, settings)
  const creditNoteNumber = nextCreditNoteNumberIn(edits, settings)
  const fault = patternFault(numberPattern.trim(), restart)
  const numberWith = (prefix: string, n: number | undefined): string =>
    fault || n === undefined || year === undefined
      ? '–'
      : exampleNumber(numberPattern.trim(), { prefix: prefix.trim(), year, number: n, livemode: settings.livemode })
  return (
    <figure class="preview">
      <figcaption>{texts.preview}</figcaption>
      <div class="preview__sheet">
        <span class="quiet">{texts.nextInvoice}</span>
        <output class="amount" data-testid="next-invoice">
          {numberWith(invoicePrefix, number)}
        </output>
        <span class="quiet">{texts.nextCreditNote}</span>
        <output data-testid="next-credit-note">{numberWith(creditNotePrefix, creditNoteNumber)}</output>
        {fault && <p class="preview__none">{texts.patternFaults[fault]}</p>}
      </div>
    </figure>
  )
}
