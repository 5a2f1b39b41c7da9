type ChoiceProps<Value extends string> = {
  readonly legend: string
  readonly name: string
  readonly values: readonly Value[]
  readonly words: Readonly<Record<Value, string>>
  /** What each of them means. */
  readonly about: Readonly<Record<Value, string>>
  readonly value: Value
  readonly onValue: (value: Value) => void
}

/** One of a few values that need a sentence each. */
export const RadioChoice = <Value extends string>({
  legend,
  name,
  values,
  words,
  about,
  value,
  onValue,
}: ChoiceProps<Value>) => (
  <fieldset>
    <legend class="legend">{legend}</legend>
    {values.map(each => (
      <label key={each} class="check">
        <input type="radio" name={name} checked={each === value} onInput={() => onValue(each)} />
        <span>
          {words[each]}
          <span>{about[each]}</span>
        </span>
      </label>
    ))}
  </fieldset>
)
