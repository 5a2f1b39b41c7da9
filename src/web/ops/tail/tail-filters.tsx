import { useEffect, useState } from 'preact/hooks'
import type { OpsTransition } from '../../api/ops-calls.ts'
import { useQuery } from '../../api/query.ts'
import { Pick, useAddressQuery } from '../../dashboard/shell/filters.tsx'
import { Icon } from '../../parts/icon.tsx'
import { useOpsCall } from '../shell/ops.ts'
import { useOpsTexts } from '../shell/texts.ts'
import type { TailFilter } from './tail.ts'

type Kind = OpsTransition['kind']

/** All that have a name. */
const useKinds = (): readonly Kind[] => Object.keys(useOpsTexts().machines.kinds) as Kind[]

/** The filter of the address. */
export const useTailFilter = (): TailFilter => {
  const { get } = useAddressQuery()
  const kind = useKinds().find(each => each === get('kind'))
  const given = { event: get('event'), state: get('state'), actor: get('actor'), merchantId: get('merchant') }
  return {
    ...(kind && { kind }),
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
  }
}

export const TailFilters = ({ filter }: { readonly filter: TailFilter }) => {
  const { tail: texts, machines } = useOpsTexts()
  const query = useAddressQuery()
  const kinds = useKinds()
  const words = useWords(filter.kind)
  const pick = (name: 'event' | 'state') => (
    <Pick
      label={texts[name]}
      all={texts.all}
      value={filter[name] ?? ''}
      options={optionsOf(name === 'event' ? words.events : words.states, filter[name])}
      onPick={value => query.filter({ [name]: value })}
    />
  )
  return (
    <div class="filters tail__filters">
      <IdField
        value={filter.actor ?? filter.merchantId ?? ''}
        onGiven={id =>
          query.filter(id.startsWith('mer_') ? { merchant: id, actor: undefined } : { actor: id, merchant: undefined })
        }
      />
      <Pick
        label={texts.kind}
        all={texts.all}
        value={filter.kind ?? ''}
        options={kinds.map(kind => [kind, machines.kinds[kind]])}
        onPick={kind => query.filter({ kind })}
      />
      {pick('event')}
      {pick('state')}
    </div>
  )
}

/** With the chosen one, also while the others are not known, or if it belongs to another machine. */
const optionsOf = (known: readonly string[], chosen: string | undefined) =>
  [...new Set([...known, ...(chosen === undefined ? [] : [chosen])])].sort().map(each => [each, each] as const)

type IdFieldProps = { readonly value: string; readonly onGiven: (id: string) => void }

/** An ID is given when Enter is pressed, or the field is left. */
const IdField = ({ value, onGiven }: IdFieldProps) => {
  const { tail: texts } = useOpsTexts()
  const [text, setText] = useState(value)
  useEffect(() => setText(value), [value])
  const give = () => text.trim() !== value && onGiven(text.trim())
  return (
    <search class="search">
      <form
        class="search__form"
        onSubmit={event => {
          event.preventDefault()
          give()
        }}
      >
        <Icon name="search" />
        <input
          class="input"
          type="search"
          aria-label={texts.id}
          placeholder={texts.idHint}
          autocomplete="off"
          spellcheck={false}
          maxLength={100}
          value={text}
          onInput={event => setText(event.currentTarget.value)}
          onChange={give}
        />
      </form>
    </search>
  )
}

type Words = { readonly events: readonly string[]; readonly states: readonly string[] }

/** The events and states of a machine, or of all. Machines change with the server, so they are read once. */
const useWords = (kind: Kind | undefined): Words => {
  const call = useOpsCall()
  const result = useQuery({
    queryKey: ['ops', 'words'],
    queryFn: () => call('listMachines', { window: '1h' }),
  }).value
  const machines = (result.data?.data ?? []).filter(each => kind === undefined || each.kind === kind)
  return {
    events: machines.flatMap(({ events }) => events),
    states: machines.flatMap(({ states }) => states.map(({ state }) => state)),
  }
}
