import { useEffect, useRef } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { Icon } from '../../parts/icon.tsx'
import { useShortcut } from '../../parts/shortcut.ts'
import { useOpsTexts } from './texts.ts'

/** Finds an actor by anything that identifies it. `/` leads here. */
export const ActorSearch = () => {
  const { search } = useOpsTexts()
  const { route, path, query } = useLocation()
  const input = useRef<HTMLInputElement>(null)
  const searched = path === '/ops/search' ? (query.q ?? '') : ''
  useEffect(() => {
    if (input.current) input.current.value = searched
  }, [path, searched])
  useShortcut('/', () => input.current?.focus())
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const text = input.current?.value.trim() ?? ''
    if (text !== '') route(`/ops/search?q=${encodeURIComponent(text)}`)
  }
  return (
    <search class="search actor-search">
      <form class="search__form" onSubmit={submit}>
        <Icon name="search" />
        <input
          ref={input}
          class="input"
          type="search"
          name="q"
          aria-label={search.label}
          aria-keyshortcuts="/"
          placeholder={search.label}
          autocomplete="off"
          spellcheck={false}
          maxLength={200}
        />
      </form>
    </search>
  )
}
