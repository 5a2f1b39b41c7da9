const FIELDS = 'input, select, textarea'

/** Focuses the first field that is wrong, or the first one of a group that is. It may be far above the button. */
export const focusWrong = (form: HTMLElement | null): void => {
  const wrong = form?.querySelector<HTMLElement>('[aria-invalid="true"]')
  const field = wrong?.matches(FIELDS) ? wrong : wrong?.querySelector<HTMLElement>(`${FIELDS}, button`)
  field?.focus()
}
