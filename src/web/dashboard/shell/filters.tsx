import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { Icon } from '../../parts/icon.tsx'
import { useShortcut } from '../../parts/shortcut.ts'
import { useTexts } from './texts.ts'

/** The query of the address: it is the state of a list. */
export const useAddressQuery = () => {
  const { path, url, route } = useLocation()
  const query = new URLSearchParams(url.split('?')[1])
  const addressWith = (changes: Readonly<Record<string, string | undefined>>): string => {
    const changed = new URLSearchParams(query)
    for (const [name, value] of Object.entries(changes))
      if (value === undefined || value === '') changed.delete(name)
      else changed.set(name, value)
    return changed.size > 0 ? `${path}?${changed}` : path
  }
  return {
    get: (name: string): string | undefined => query.get(name) ?? undefined,
    addressWith,
    /** A changed filter begins at the first page, and is one step back in the history. */
    filter: (changes: Readonly<Record<string, string | undefined>>): void =>
      route(addressWith({ after: undefined, before: undefined, ...changes })),
    /** A changed look is no step in the history. */
    replace: (changes: Readonly<Record<string, string | undefined>>): void => route(addressWith(changes), true),
  }
}

type FiltersProps = {
  readonly search: string
  readonly hint: string
  readonly status: string
  readonly states: readonly (readonly [value: string, name: string])[]
  /** The filters of this list alone. */
  readonly children?: ComponentChildren
}

/** The filters above a list of records: the search, the status, and those of one list. */
export const Filters = ({ search, hint, status, states, children }: FiltersProps) => {
  const { list } = useTexts()
  const query = useAddressQuery()
  return (
    <div class="filters">
      <ListSearch label={search} hint={hint} />
      <Pick
        label={status}
        all={list.all}
        value={states.find(([each]) => each === query.get('status'))?.[0] ?? ''}
        options={states}
        onPick={value => query.filter({ status: value })}
      />
      {children}
    </div>
  )
}

type ListSearchProps = { readonly label: string; readonly hint: string }

/** The search of a list: `q` in the address. */
export const ListSearch = ({ label, hint }: ListSearchProps) => {
  const query = useAddressQuery()
  return (
    <SearchBox
      label={label}
      placeholder={hint}
      value={query.get('q') ?? ''}
      onSearch={text => query.filter({ q: text })}
    />
  )
}

type SearchBoxProps = {
  readonly label: string
  readonly placeholder: string
  readonly value: string
  readonly onSearch: (text: string) => void
}

const TYPING_MS = 400

/** Searches when Enter is pressed or typing pauses. `/` on the page leads here. */
const SearchBox = ({ label, placeholder, value, onSearch }: SearchBoxProps) => {
  const input = useRef<HTMLInputElement>(null)
  const [text, setText] = useState(value)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  // Back and forward change the address, and so the text.
  useEffect(() => setText(value), [value])
  useEffect(() => () => clearTimeout(timer.current), [])
  useShortcut('/', () => input.current?.focus())
  const search = (given: string) => {
    clearTimeout(timer.current)
    if (given.trim() !== value) onSearch(given.trim())
  }
  return (
    <search class="search">
      <form
        class="search__form"
        onSubmit={event => {
          event.preventDefault()
          search(text)
        }}
      >
        <Icon name="search" />
        <input
          ref={input}
          class="input"
          type="search"
          aria-label={label}
          aria-keyshortcuts="/"
          placeholder={placeholder}
          autocomplete="off"
          spellcheck={false}
          maxLength={200}
          value={text}
          onKeyDown={event => {
            if (event.key === 'Escape' && text === '') event.currentTarget.blur()
            if (event.key !== 'ArrowDown') return
            event.preventDefault()
            document.querySelector<HTMLElement>('.table a.open')?.focus()
          }}
          onInput={event => {
            const given = event.currentTarget.value
            setText(given)
            clearTimeout(timer.current)
            timer.current = setTimeout(() => search(given), TYPING_MS)
          }}
        />
        <span class="key" aria-hidden="true">
          /
        </span>
      </form>
    </search>
  )
}

type PickProps = {
  readonly label: string
  readonly value: string
  /** What all of them are called. */
  readonly all: string
  readonly options: readonly (readonly [value: string, name: string])[]
  readonly onPick: (value: string | undefined) => void
}

/** A filter with a few values. A chosen one is tinted. */
export const Pick = ({ label, value, all, options, onPick }: PickProps) => (
  <select
    class="pick"
    aria-label={label}
    data-set={value !== ''}
    value={value}
    onChange={event => onPick(event.currentTarget.value || undefined)}
  >
    <option value="">
      {label}: {all}
    </option>
    {options.map(([key, name]) => (
      <option key={key} value={key}>
        {name}
      </option>
    ))}
  </select>
)

type MoreFiltersProps = {
  readonly label: string
  /** One of them is set, so they are shown. */
  readonly isSet: boolean
  readonly children: ComponentChildren
}

/** Filters that are folded away in narrow windows, where they would push the list down. */
export const MoreFilters = ({ label, isSet, children }: MoreFiltersProps) => {
  const [isOpen, setOpen] = useState(isSet)
  const isShown = isOpen || isSet
  return (
    <>
      <button
        type="button"
        class="pick filters__more"
        aria-expanded={isShown}
        aria-disabled={isSet}
        onClick={() => setOpen(!isOpen)}
      >
        {label}
      </button>
      <div class="filters__rest" data-shown={isShown}>
        {children}
      </div>
    </>
  )
}

type ToggleProps = { readonly isOn: boolean; readonly onToggle: () => void; readonly children: string }

/** A filter that is on or off. */
export const PickToggle = ({ isOn, onToggle, children }: ToggleProps) => (
  <button type="button" class="pick" aria-pressed={isOn} data-set={isOn} onClick={onToggle}>
    {children}
  </button>
)

type PickDayProps = {
  readonly label: string
  /** `YYYY-MM-DD`, or empty. */
  readonly value: string
  readonly onPick: (day: string | undefined) => void
}

/** A filter by a day. */
export const PickDay = ({ label, value, onPick }: PickDayProps) => (
  <label class="pick pick--day" data-set={value !== ''}>
    {label}
    <input type="date" value={value} onChange={event => onPick(event.currentTarget.value || undefined)} />
  </label>
)
