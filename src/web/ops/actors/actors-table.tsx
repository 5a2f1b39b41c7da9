import type { FoundActor } from '../../api/ops-calls.ts'
import { Table, type TableColumn } from '../../parts/table.tsx'
import { useOpsTexts } from '../shell/texts.ts'

type ActorsTableProps<Row> = {
  readonly label: string
  readonly rows: readonly Row[]
  /** After the ID, the machine and the state. */
  readonly more?: readonly TableColumn<Row>[]
}

/** Actors with links to their pages. */
export const ActorsTable = <Row extends FoundActor>({ label, rows, more = [] }: ActorsTableProps<Row>) => {
  const { search: texts, machines } = useOpsTexts()
  return (
    <Table
      label={label}
      rows={rows}
      keyOf={({ id }) => id}
      columns={[
        {
          ...{ key: 'id', head: 'ID', card: 1 },
          cell: ({ id }) => (
            <a class="open" href={`/ops/actors/${id}`}>
              <code>{id}</code>
            </a>
          ),
        },
        { key: 'kind', head: texts.kind, card: 3, cell: ({ kind }) => machines.kinds[kind] },
        { key: 'state', head: texts.state, card: 2, cell: ({ state }) => <code>{state}</code> },
        ...more,
      ]}
    />
  )
}
