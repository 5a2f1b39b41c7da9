import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { FormField } from './field.tsx'
import { placeBelow } from './place.ts'
import { useReader } from './reader.ts'

export type ComboboxOption = {
  readonly key: string
  readonly label: string
  /** Beside the label: a network, a date. */
  readonly detail?: ComponentChildren
}

type ComboboxProps = {
  readonly label: string
  /** What stands in the field. */
  readonly text: string
  readonly onText: (text: string) => void
  /** The options that fit the text. */
  readonly options: readonly ComboboxOption[]
  readonly onSelect: (option: ComboboxOption) => void
  /** The options are still those of another text. */
  readonly isStale?: boolean
  readonly placeholder?: string
  readonly hint?: ComponentChildren
  readonly error?: string | undefined
  readonly maxLength?: number
}

/**
 * A text field with a list of what it can be: the editable combobox of WAI-ARIA with list autocompletion. Focus stays in
 * the field; the option that Enter takes is the active descendant.
 */
export const Combobox = ({
  label,
  text,
  onText,
  options,
  onSelect,
  isStale = false,
  hint,
  error,
  ...rest
}: ComboboxProps) => {
  const { texts } = useReader()
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const [isOpen, setOpen] = useState(false)
  const [active, setActive] = useState<number>()
  /** Enter was pressed before the options of this text had arrived. */
  const [isAwaited, setAwaited] = useState(false)
  const optionId = (n: number) => `${id}-${n}`

  useEffect(() => {
    if (!list.current || !input.current) return
    list.current.togglePopover(isOpen)
    if (isOpen) placeBelow(list.current, input.current, { width: 'anchor' })
  }, [isOpen, options])
  useEffect(() => {
    if (active !== undefined) document.getElementById(optionId(active))?.scrollIntoView({ block: 'nearest' })
  })

  const close = () => {
    setOpen(false)
    setAwaited(false)
    setActive(undefined)
  }
  const take = (option: ComboboxOption) => {
    onSelect(option)
    close()
  }
  useEffect(() => {
    if (!isAwaited || isStale) return
    setAwaited(false)
    takeOnly()
  }, [isAwaited, isStale])
  /** The only option that fits a text needs no arrow key. */
  const takeOnly = () => {
    const [only, ...others] = options
    if (only && others.length === 0) take(only)
  }
  const activate = (n: number) => {
    setOpen(true)
    setActive(options.length === 0 ? undefined : (n + options.length) % options.length)
  }
  const move = (event: KeyboardEvent) => {
    const chosen = isOpen && active !== undefined ? options[active] : undefined
    if (event.key === 'ArrowDown' && event.altKey) setOpen(true)
    else if (event.key === 'ArrowUp' && event.altKey) close()
    else if (event.key === 'ArrowDown') activate(active === undefined ? 0 : active + 1)
    else if (event.key === 'ArrowUp') activate(active === undefined ? -1 : active - 1)
    else if (event.key === 'Enter' && chosen) take(chosen)
    // An open list takes the key: it would submit the form with a text that is no choice.
    else if (event.key === 'Enter' && isOpen && text.trim() !== '') setAwaited(true)
    else if (event.key === 'Escape' && isOpen) close()
    else if (event.key === 'Escape' && text !== '') onText('')
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  return (
    <FormField label={label} hint={hint} error={error}>
      {links => (
        <>
          <input
            ref={input}
            {...links}
            {...rest}
            class="input"
            role="combobox"
            autocomplete="off"
            spellcheck={false}
            value={text}
            aria-expanded={isOpen}
            aria-controls={`${id}-list`}
            aria-autocomplete="list"
            aria-activedescendant={isOpen && active !== undefined ? optionId(active) : undefined}
            onInput={event => {
              onText(event.currentTarget.value)
              setOpen(true)
              setActive(undefined)
              setAwaited(false)
            }}
            onClick={() => setOpen(true)}
            onBlur={close}
            onKeyDown={move}
          />
          <div
            ref={list}
            id={`${id}-list`}
            class="options"
            role="listbox"
            popover="manual"
            aria-label={label}
            aria-busy={isStale}
          >
            {options.map((option, n) => (
              // biome-ignore lint/a11y/useFocusableInteractive: focus stays in the field, as the pattern demands
              // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keys
              <div
                key={option.key}
                id={optionId(n)}
                class="options__item"
                role="option"
                aria-selected={n === active}
                // Before the field loses the focus, which would close the list.
                onPointerDown={event => event.preventDefault()}
                onClick={() => take(option)}
              >
                <span>{option.label}</span>
                {option.detail !== undefined && <span class="quiet">{option.detail}</span>}
              </div>
            ))}
            {options.length === 0 && <p class="options__none">{texts.noOption(text)}</p>}
          </div>
          <span class="sr" role="status">
            {isOpen && (options.length === 0 ? texts.noOption(text) : texts.optionCount(options.length))}
          </span>
        </>
      )}
    </FormField>
  )
}
