import { useState } from 'preact/hooks'
import { FormField, TextField } from '../../parts/field.tsx'
import { Icon } from '../../parts/icon.tsx'
import { RemindersUnheard } from './reminder-endpoints.tsx'
import { useSettingsTexts } from './texts.ts'

type RemindersFieldProps = {
  /** Days from the due date. */
  readonly value: readonly number[]
  readonly onValue: (value: readonly number[]) => void
}

const MOST = 8

/** Days from the due date: one chip each, and a field to add another one. */
export const RemindersField = ({ value, onValue }: RemindersFieldProps) => {
  const { billing: texts } = useSettingsTexts()
  const [days, setDays] = useState('')
  const [isBefore, setBefore] = useState(true)
  const [fault, setFault] = useState<keyof typeof texts.reminderFaults>()
  const sorted = value.toSorted((one, other) => one - other)
  const add = () => {
    const count = /^\d{1,2}$/.test(days.trim()) ? Number(days) : undefined
    const offset = count === undefined ? undefined : isBefore ? -count || 0 : count
    if (offset === undefined || offset < -30 || offset > 90) return setFault('range')
    if (value.includes(offset)) return setFault('twice')
    onValue([...value, offset].toSorted((one, other) => one - other))
    setDays('')
    setFault(undefined)
  }
  return (
    <fieldset class="form">
      <legend class="legend">{texts.reminders}</legend>
      <p class="quiet">{texts.remindersHint}</p>
      {sorted.length === 0 ? (
        <p>{texts.noReminders}</p>
      ) : (
        <ul class="chips" aria-label={texts.reminders}>
          {sorted.map(offset => (
            <li key={offset}>
              {texts.reminder(offset)}
              <button
                type="button"
                class="icon-button"
                aria-label={texts.removeReminder(texts.reminder(offset))}
                onClick={() => onValue(value.filter(each => each !== offset))}
              >
                <Icon name="close" small />
              </button>
            </li>
          ))}
        </ul>
      )}
      {sorted.length > 0 && <RemindersUnheard />}
      {value.length < MOST && (
        <div class="pair">
          <TextField
            label={texts.reminderDays}
            inputMode="numeric"
            autocomplete="off"
            maxLength={2}
            value={days}
            onInput={event => {
              setDays(event.currentTarget.value)
              setFault(undefined)
            }}
            onKeyDown={event => {
              if (event.key !== 'Enter') return
              // Otherwise Enter would save the form.
              event.preventDefault()
              add()
            }}
            error={fault && texts.reminderFaults[fault]}
          />
          <FormField label={texts.reminderWhen}>
            {props => (
              <select
                class="input"
                {...props}
                value={isBefore ? 'before' : 'after'}
                onChange={event => setBefore(event.currentTarget.value === 'before')}
              >
                <option value="before">{texts.before}</option>
                <option value="after">{texts.after}</option>
              </select>
            )}
          </FormField>
          <button type="button" class="button" onClick={add}>
            {texts.addReminder}
          </button>
        </div>
      )}
    </fieldset>
  )
}
