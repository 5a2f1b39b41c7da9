import { Table } from '../../parts/table.tsx'
import { useOpsTexts } from '../shell/texts.ts'
import type { FieldChange } from './story.ts'

/** Fields before and after. */
export const ChangesTable = ({
  label,
  changes,
}: {
  readonly label: string
  readonly changes: readonly FieldChange[]
}) => {
  const { actor: texts } = useOpsTexts()
  if (changes.length === 0) return <p class="quiet">{texts.nothingChanged}</p>
  return (
    <div class="changes">
      <Table
        label={label}
        rows={changes}
        keyOf={({ name }) => name}
        columns={[
          { key: 'field', head: texts.field, card: 1, cell: ({ name }) => <code>{name}</code> },
          { key: 'before', head: texts.before, card: 3, named: true, cell: ({ old }) => old && <code>{old}</code> },
          { key: 'after', head: texts.after, card: 5, named: true, cell: ({ now }) => now && <code>{now}</code> },
        ]}
      />
    </div>
  )
}
