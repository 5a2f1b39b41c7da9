import { dayIn, isTimeZone } from '../../../billing/days.ts'
import { parseNumberPattern, renderNumber } from '../../../billing/document-number.ts'
import type { BillingSettings } from '../../api/calls.ts'
import { useReader } from '../../parts/reader.ts'
import { type BillingEdits, billingDraftOf, nextCreditNoteNumberIn, nextNumberIn } from './billing-draft.ts'
import { useSettingsTexts } from './texts.ts'

type NumberPreviewProps = { readonly edits: BillingEdits; readonly settings: BillingSettings }

/** The next numbers, as they would be with what is typed. */
export const NumberPreview = ({ edits, settings }: NumberPreviewProps) => {
  const { billing: texts } = useSettingsTexts()
  const { now } = useReader()
  const { numberPattern, restart, invoicePrefix, creditNotePrefix, timeZone } = {
    ...billingDraftOf(settings),
    ...edits,
  }
  const zone = timeZone.trim()
  const issueDate = dayIn(isTimeZone(zone) ? zone : settings.timeZone, now.value)
  const number = nextNumberIn(edits, settings)
  const creditNoteNumber = nextCreditNoteNumberIn(edits, settings)
  const parsed = parseNumberPattern(numberPattern.trim(), restart)
  const numberWith = (prefix: string, n: number | undefined): string =>
    !parsed.ok || n === undefined
      ? '–'
      : renderNumber({
          ...{ pattern: parsed.pattern, prefix: prefix.trim(), issueDate, number: n, livemode: settings.livemode },
          testClockId: null,
        })
  return (
    <figure class="preview">
      <figcaption>{texts.preview}</figcaption>
      <div class="preview__sheet">
        <span class="quiet">{texts.nextInvoice}</span>
        <output data-testid="next-invoice">{numberWith(invoicePrefix, number)}</output>
        <span class="quiet">{texts.nextCreditNote}</span>
        <output data-testid="next-credit-note">{numberWith(creditNotePrefix, creditNoteNumber)}</output>
        {!parsed.ok && <p class="preview__none">{texts.patternFaults[parsed.fault]}</p>}
      </div>
    </figure>
  )
}
