import { useState } from 'preact/hooks'
import { taxCategories } from '../../../billing/invoice-sums.ts'
import { FormField, TextField } from '../../parts/field.tsx'
import { Icon } from '../../parts/icon.tsx'
import { useReader } from '../../parts/reader.ts'
import { useInvoiceEditorTexts } from './editor-texts.ts'
import { type LineDraft, type LineFaults, lineFaultsIn, needsTaxNote, typedFaultsIn } from './invoice-draft.ts'
import { useInvoicesTexts } from './texts.ts'

export type LineEditing = {
  readonly change: (key: number, changes: Partial<LineDraft>) => void
  readonly move: (key: number, step: 1 | -1) => void
  readonly remove: (key: number) => void
  /** To the next line, or a new one after the last. */
  readonly next: (key: number) => void
}

export type LineFieldsProps = {
  readonly line: LineDraft
  /** From 1. */
  readonly n: number
  readonly isLast: boolean
  readonly isOnly: boolean
  readonly isChecked: boolean
  /** The field that the server has refused. */
  readonly refused: string | undefined
  readonly amountMinor: number | undefined
  readonly currency: string
  readonly editing: LineEditing
  /** Whether it can be about a period of its own. */
  readonly hasPeriod: boolean
}

type Field = keyof LineFaults

/** The fields of a line. All of them belong to it by the name of their group. */
export const LineFields = (props: LineFieldsProps) => {
  const { line, n, isLast, isOnly, isChecked, refused, amountMinor, currency, editing, hasPeriod } = props
  const texts = useInvoiceEditorTexts()
  const { taxCategories: categoryNames } = useInvoicesTexts()
  const { formats } = useReader()
  const { key } = line
  const faults = isChecked ? lineFaultsIn(line) : typedFaultsIn(line)
  const hasMoreFault = [faults.taxNote, faults.periodStart, faults.periodEnd].some(Boolean)
  const isMoreRefused = ['taxCategory', 'taxNote', 'periodStart', 'periodEnd'].includes(refused ?? '')
  const { taxCategory, periodStart, periodEnd } = line
  const [isOpened, setOpened] = useState(taxCategory !== 'standard' || periodStart !== '' || periodEnd !== '')
  const isOpen = isOpened || hasMoreFault || isMoreRefused
  const errorOf = (field: Field): string | undefined => {
    const fault = faults[field]
    const words: Readonly<Record<string, string>> = texts.lineFaults[field]
    if (fault !== undefined) return words[fault]
    return refused === field ? texts.refused : undefined
  }
  const input = (name: Exclude<keyof LineDraft, 'key' | 'taxCategory'>, field: Field) => ({
    ...{ name, value: line[name], autocomplete: 'off' as const, error: errorOf(field) },
    onInput: (event: { readonly currentTarget: HTMLInputElement }) =>
      editing.change(key, { [name]: event.currentTarget.value }),
  })
  const press = (event: KeyboardEvent) => {
    const { target, altKey, ctrlKey, metaKey, shiftKey } = event
    const step = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : undefined
    if (step !== undefined && altKey && !(target instanceof HTMLSelectElement)) editing.move(key, step)
    // Otherwise Enter would save the draft.
    else if (event.key === 'Enter' && target instanceof HTMLInputElement && !(altKey || ctrlKey || metaKey || shiftKey))
      editing.next(key)
    else return
    event.preventDefault()
  }
  return (
    <fieldset class="line" data-line={key} onKeyDown={press}>
      <legend class="sr">{texts.line(n)}</legend>
      <div class="line__head">
        <b aria-hidden="true">{texts.line(n)}</b>
        <output class="money" aria-label={texts.amount}>
          {amountMinor === undefined ? '–' : formats.money(amountMinor, currency)}
        </output>
        <button
          type="button"
          class="icon-button line__up"
          aria-label={texts.up(n)}
          aria-disabled={n === 1}
          onClick={() => n > 1 && editing.move(key, -1)}
        >
          <Icon name="down" />
        </button>
        <button
          type="button"
          class="icon-button"
          aria-label={texts.down(n)}
          aria-disabled={isLast}
          onClick={() => !isLast && editing.move(key, 1)}
        >
          <Icon name="down" />
        </button>
        <button
          type="button"
          class="icon-button"
          aria-label={texts.remove(n)}
          aria-disabled={isOnly}
          onClick={() => !isOnly && editing.remove(key)}
        >
          <Icon name="close" />
        </button>
      </div>
      <TextField label={texts.description} maxLength={300} {...input('description', 'description')} />
      <div class="line__numbers">
        <TextField label={texts.quantity} inputMode="decimal" maxLength={24} {...input('quantity', 'quantity')} />
        <TextField label={texts.unitAmount} maxLength={24} {...input('unitAmount', 'unitAmountMinor')} />
        <TextField
          label={texts.taxRate}
          inputMode="decimal"
          maxLength={6}
          {...input('taxRate', 'taxRateBps')}
          {...(taxCategory !== 'standard' && { value: '0', readOnly: true })}
        />
      </div>
      <details class="line__more" open={isOpen} onToggle={event => setOpened(event.currentTarget.open)}>
        <summary>
          <span>{hasPeriod ? texts.more : texts.taxCategory}</span>
          <span class="quiet">{taxCategory !== 'standard' && categoryNames[taxCategory]}</span>
        </summary>
        {isOpen && (
          <div class="form">
            <FormField label={texts.taxCategory} error={refused === 'taxCategory' ? texts.refused : undefined}>
              {props => (
                <select
                  class="input"
                  name="taxCategory"
                  {...props}
                  value={taxCategory}
                  onChange={event => {
                    const chosen = taxCategories.find(each => each === event.currentTarget.value)
                    if (chosen) editing.change(key, { taxCategory: chosen })
                  }}
                >
                  {taxCategories.map(each => (
                    <option key={each} value={each}>
                      {categoryNames[each]}
                    </option>
                  ))}
                </select>
              )}
            </FormField>
            {taxCategory !== 'standard' && (
              <TextField
                label={texts.taxNote}
                optional={!needsTaxNote(line)}
                maxLength={200}
                hint={texts.taxNoteHint}
                {...input('taxNote', 'taxNote')}
              />
            )}
            {hasPeriod && (
              <div class="line__period">
                <DayField label={texts.periodStart} {...input('periodStart', 'periodStart')} />
                <DayField label={texts.periodEnd} {...input('periodEnd', 'periodEnd')} />
              </div>
            )}
          </div>
        )}
      </details>
    </fieldset>
  )
}

type DayFieldProps = {
  readonly label: string
  readonly optional?: boolean
  readonly hint?: string
  readonly error: string | undefined
  readonly name: string
  readonly value: string
  readonly onInput: (event: { readonly currentTarget: HTMLInputElement }) => void
}

/** A day. A time, which only the API can set, is shown as a text. */
export const DayField = ({ label, hint, error, optional = true, value, ...input }: DayFieldProps) => (
  <FormField label={label} hint={hint} error={error} optional={optional}>
    {props => (
      <input class="input" type={(value.length > 10 ? 'text' : 'date') as 'date'} {...input} {...props} value={value} />
    )}
  </FormField>
)
