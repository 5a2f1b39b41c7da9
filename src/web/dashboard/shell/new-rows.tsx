import { useShortcut } from '../../parts/shortcut.ts'
import { type LiveSection, useLive } from './live.ts'
import { countNew } from './new-records.ts'
import { useRefresh } from './queries.ts'

type NewRowsProps = {
  readonly section: LiveSection
  /** The rows that are shown. */
  readonly rows: readonly { readonly id: string }[]
  readonly words: (count: number) => string
}

/** New records do not push the rows: this bar offers them. `.` shows them, too. */
export const NewRows = ({ section, rows, words }: NewRowsProps) => {
  const live = useLive()?.rows[section]
  const refresh = useRefresh()
  const count = live ? countNew(live.created.value, rows) : 0
  const show = () => {
    live?.forgetCreated()
    void refresh(section)
  }
  useShortcut('.', () => count > 0 && show())
  return (
    <div role="status">
      {count > 0 && (
        <button type="button" class="fresh" aria-keyshortcuts="." onClick={show}>
          {words(count)}
          <span class="key" aria-hidden="true">
            .
          </span>
        </button>
      )}
    </div>
  )
}
