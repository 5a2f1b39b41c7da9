import { TextField } from '../../parts/field.tsx'
import { Icon } from '../../parts/icon.tsx'
import type { faultsIn, MetadataEntry } from './customer-draft.ts'
import { useCustomersTexts } from './texts.ts'

type MetadataFieldsProps = {
  readonly entries: readonly MetadataEntry[]
  readonly onEntries: (entries: readonly MetadataEntry[]) => void
  readonly faults: ReturnType<typeof faultsIn>['metadata']
  readonly refused: string | undefined
}

const MOST = 20

/** Keys and values, as many as needed. */
export const MetadataFields = ({ entries, onEntries, faults, refused }: MetadataFieldsProps) => {
  const texts = useCustomersTexts()
  const change = (at: number, changed: Partial<MetadataEntry>) =>
    onEntries(entries.map((each, n) => (n === at ? { ...each, ...changed } : each)))
  return (
    <fieldset class="form">
      <legend class="legend">{texts.metadata}</legend>
      <p class="quiet">{texts.metadataHint}</p>
      {entries.map((entry, n) => {
        const fault = faults[n]
        return (
          // Entries have no identity but their place.
          <div key={n} class="pair">
            <TextField
              label={texts.key(n + 1)}
              autocomplete="off"
              spellcheck={false}
              maxLength={40}
              value={entry.key}
              onInput={event => change(n, { key: event.currentTarget.value })}
              error={fault ? texts.keyFaults[fault] : undefined}
            />
            <TextField
              label={texts.value(n + 1)}
              autocomplete="off"
              maxLength={200}
              value={entry.value}
              onInput={event => change(n, { value: event.currentTarget.value })}
            />
            <button
              type="button"
              class="icon-button"
              aria-label={texts.removeEntry(n + 1)}
              onClick={() => onEntries(entries.filter((_, at) => at !== n))}
            >
              <Icon name="close" />
            </button>
          </div>
        )
      })}
      {refused !== undefined && (
        <p class="field" role="alert">
          <span class="error">{refused}</span>
        </p>
      )}
      {entries.length < MOST && (
        <div class="buttons">
          <button
            type="button"
            class="button button--small"
            onClick={() => onEntries([...entries, { key: '', value: '' }])}
          >
            <Icon name="plus" small />
            {texts.addEntry}
          </button>
        </div>
      )}
    </fieldset>
  )
}
