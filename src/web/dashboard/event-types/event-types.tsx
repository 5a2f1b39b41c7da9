import { useId } from 'preact/hooks'
import { type ListedEventType, useEventTypes, useEventTypesTexts } from './texts.ts'

type EventTypesProps = {
  readonly chosen: readonly ListedEventType[]
  /** Whether the form was sent once: then it says that none is chosen. */
  readonly isChecked: boolean
  readonly onChoose: (chosen: readonly ListedEventType[]) => void
}

/** Every type with one line of meaning. */
export const EventTypes = ({ chosen, isChecked, onChoose }: EventTypesProps) => {
  const texts = useEventTypesTexts()
  const all = useEventTypes()
  const id = useId()
  return (
    <fieldset aria-describedby={`${id}-none`}>
      <legend class="legend">{texts.choose}</legend>
      <div class="check-columns">
        {all.map(type => (
          <label key={type} class="check">
            <input
              type="checkbox"
              checked={chosen.includes(type)}
              onInput={event =>
                // In the order of the list.
                onChoose(all.filter(each => (each === type ? event.currentTarget.checked : chosen.includes(each))))
              }
            />
            <span>
              <code>{type}</code>
              <span>{texts.about[type]}</span>
            </span>
          </label>
        ))}
      </div>
      <p id={`${id}-none`} class="field">
        {isChecked && chosen.length === 0 && <span class="error">{texts.chooseNone}</span>}
      </p>
    </fieldset>
  )
}
