import type { InvoiceWithLines } from '../../api/calls.ts'
import { FormField } from '../../parts/field.tsx'
import { useReader } from '../../parts/reader.ts'
import { useCreditNotesTexts } from '../billing-records/credit-notes-texts.ts'
import type { CreditedLineDraft, LineFault, LineRest } from './credit-note-draft.ts'

type LinesProps = {
  readonly invoice: InvoiceWithLines
  readonly rests: readonly LineRest[]
  readonly drafts: Readonly<Record<string, CreditedLineDraft>>
  readonly faults: Readonly<Record<string, LineFault>>
  readonly onDrafts: (drafts: Readonly<Record<string, CreditedLineDraft>>) => void
}

/** A quantity or an amount for each line of which something is left. */
export const CreditedLines = ({ invoice, rests, drafts, faults, onDrafts }: LinesProps) => {
  const texts = useCreditNotesTexts()
  const { formats } = useReader()
  const money = (minor: number) => `${formats.money(minor, invoice.currency)} ${texts.withTax[invoice.taxBehavior]}`
  return (
    <>
      {rests.map(({ lineId, quantity, amountMinor }) => {
        const { description } = invoice.lines.find(({ id }) => id === lineId) ?? { description: lineId }
        const kind = quantity === null ? 'amountMinor' : (drafts[lineId]?.kind ?? 'quantity')
        const text = drafts[lineId]?.text ?? ''
        const wrong = kind === 'quantity' ? texts.quantityWrong : texts.amountWrong
        const fault = faults[lineId]
        const change = (more: Partial<CreditedLineDraft>) => onDrafts({ ...drafts, [lineId]: { kind, text, ...more } })
        return (
          <fieldset key={lineId} class="credited">
            <legend class="legend">{description}</legend>
            <div class="pair">
              <FormField
                label={
                  kind === 'quantity'
                    ? texts.kinds[kind]
                    : `${texts.kinds[kind]} (${texts.withTax[invoice.taxBehavior]})`
                }
                hint={
                  quantity === null
                    ? texts.left(money(amountMinor))
                    : texts.quantityLeft(formats.decimal(quantity), money(amountMinor))
                }
                error={fault && (fault === 'wrong' ? wrong : texts.exceeds)}
              >
                {props => (
                  <input
                    class="input"
                    inputMode="decimal"
                    autocomplete="off"
                    {...props}
                    value={text}
                    onInput={event => change({ text: event.currentTarget.value })}
                  />
                )}
              </FormField>
              {quantity !== null && (
                <FormField label={texts.by}>
                  {props => (
                    <select
                      class="input"
                      {...props}
                      value={kind}
                      onChange={event =>
                        change({ kind: event.currentTarget.value === 'quantity' ? 'quantity' : 'amountMinor' })
                      }
                    >
                      <option value="quantity">{texts.kinds.quantity}</option>
                      <option value="amountMinor">{texts.kinds.amountMinor}</option>
                    </select>
                  )}
                </FormField>
              )}
            </div>
          </fieldset>
        )
      })}
    </>
  )
}
