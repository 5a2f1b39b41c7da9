import { TextField } from '../../parts/field.tsx'
import { useInvoiceEditorTexts } from './editor-texts.ts'
import type { DraftDue, InvoiceFaults } from './invoice-draft.ts'
import { DayField } from './line-fields.tsx'

type DueFieldsProps = {
  readonly due: DraftDue
  readonly onDue: (due: DraftDue) => void
  /** Days of the settings. */
  readonly usual: number
  readonly faults: InvoiceFaults | undefined
  readonly refused: string | undefined
}

/** When the invoice is due. */
export const DueFields = ({ due, onDue, usual, faults, refused }: DueFieldsProps) => {
  const texts = useInvoiceEditorTexts()
  return (
    <fieldset class="form">
      <legend class="legend">{texts.due}</legend>
      <div>
        {(['settings', 'days', 'date'] as const).map(by => (
          <label key={by} class="check">
            <input type="radio" name="due" checked={due.by === by} onInput={() => onDue({ ...due, by })} />
            <span>
              {texts.dueBy[by]}
              {by === 'settings' && <span>{texts.dueBySettings(usual)}</span>}
            </span>
          </label>
        ))}
      </div>
      {due.by === 'days' && (
        <TextField
          label={texts.days}
          name="days"
          inputMode="numeric"
          autocomplete="off"
          maxLength={3}
          value={due.days}
          onInput={event => onDue({ ...due, days: event.currentTarget.value })}
          error={faults?.days || refused === 'daysUntilDue' ? texts.daysWrong : undefined}
        />
      )}
      {due.by === 'date' && (
        <DayField
          label={texts.date}
          optional={false}
          name="dueDate"
          value={due.date}
          onInput={event => onDue({ ...due, date: event.currentTarget.value })}
          error={faults?.date ? texts.dateWrong : refused === 'dueDate' ? texts.dateRefused : undefined}
        />
      )}
    </fieldset>
  )
}
