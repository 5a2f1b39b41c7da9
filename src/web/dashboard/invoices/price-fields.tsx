import type { SummedInvoice } from '../../../billing/invoice-sums.ts'
import type { BillingSettings } from '../../api/calls.ts'
import { FormField } from '../../parts/field.tsx'
import { NoteBox } from '../../parts/note.tsx'
import { RadioChoice } from '../shell/radio-choice.tsx'
import { useInvoiceEditorTexts } from './editor-texts.ts'
import type { InvoiceDraft } from './invoice-draft.ts'
import { LinesFieldset } from './lines-fieldset.tsx'
import { SumRows, useTaxRows } from './sum-rows.tsx'

type Price = Pick<InvoiceDraft, 'currency' | 'taxBehavior' | 'lines'>

type PriceFieldsProps = {
  readonly draft: Price
  readonly onEdit: (edits: Partial<Pick<Price, 'currency' | 'taxBehavior'>>) => void
  /** Never another function: otherwise each key would draw all lines. */
  readonly onLines: (update: (lines: Price['lines']) => Price['lines']) => void
  readonly summed: SummedInvoice
  readonly settings: BillingSettings
  readonly isChecked: boolean
  /** The parameter that the server has refused, such as `lines.3.quantity`. */
  readonly refused: string | undefined
  /** Of a plan: each of its invoices has these lines. */
  readonly isRepeated?: boolean
}

/** What is charged: currency, prices with or without tax, lines, and their sums. */
export const PriceFields = (props: PriceFieldsProps) => {
  const { draft, onEdit, summed, settings, isChecked, refused, onLines, isRepeated = false } = props
  const texts = useInvoiceEditorTexts()
  const taxRows = useTaxRows()
  return (
    <>
      <div class="editor__terms">
        <FormField label={texts.currency} error={refused === 'currency' ? texts.refused : undefined}>
          {links => (
            <select
              class="input"
              name="currency"
              {...links}
              value={draft.currency}
              onChange={event => onEdit({ currency: event.currentTarget.value })}
            >
              <option>EUR</option>
              <option>USD</option>
            </select>
          )}
        </FormField>
        <RadioChoice
          legend={texts.taxBehavior}
          name="taxBehavior"
          values={['exclusive', 'inclusive'] as const}
          words={texts.taxBehaviors}
          about={texts.taxBehaviorsWhat}
          value={draft.taxBehavior}
          onValue={taxBehavior => onEdit({ taxBehavior })}
        />
      </div>
      <LinesFieldset
        lines={draft.lines}
        currency={draft.currency}
        summed={summed}
        settings={settings}
        isChecked={isChecked}
        refused={refused}
        onLines={onLines}
        isRepeated={isRepeated}
      />
      {summed.ok ? (
        <SumRows rows={taxRows(summed.sums)} currency={draft.currency} />
      ) : (
        <NoteBox tone="bad" alert title={texts.outOfRange}>
          {texts.outOfRangeWhat}
        </NoteBox>
      )}
    </>
  )
}
