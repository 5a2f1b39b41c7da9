type ChoiceProps<Value extends string> = {
  readonly legend: string
  readonly name: string
  readonly values: readonly Value[]
  readonly words: Readonly<Record<Value, string>>
  /** What each of them means. */
  readonly about: Readonly<Record<Value, string>>
  /** Undefined: nothing is chosen yet. */
  readonly value: Value | undefined
  readonly onValue: (value: Value) => void
  readonly error?: string | undefined
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
  error,
}: ChoiceProps<Value>) => (
  <fieldset aria-invalid={error === undefined ? undefined : 'true'}>
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
    {error !== undefined && (
      <p class="field" role="alert">
        <span class="error">{error}</span>
      </p>
    )}
  </fieldset>
)
