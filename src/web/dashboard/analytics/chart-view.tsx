import type { ComponentChildren } from 'preact'
import { type CsvCell, csvText } from '../../parts/csv.ts'
import { Icon } from '../../parts/icon.tsx'
import { Table, type TableColumn } from '../../parts/table.tsx'
import { saveFile } from '../shell/download.ts'
import { useAddressQuery } from '../shell/filters.tsx'
import { useAnalyticsTexts } from './texts.ts'

export type FileColumn<Row> = {
  /** In a file, with its unit. */
  readonly fileHead: string
  readonly fileCell: (row: Row) => CsvCell
}

export type ChartColumn<Row> = TableColumn<Row> &
  FileColumn<Row> & {
    /** What a cell shows below its value is a column of its own in a file. */
    readonly under?: FileColumn<Row>
  }

type ChartViewProps<Row> = {
  /** In the address: a chart that is shown as a table. */
  readonly name: string
  readonly label: string
  readonly columns: readonly ChartColumn<Row>[]
  readonly rows: readonly Row[]
  /** In the order of the file, if it is another one. */
  readonly fileRows?: readonly Row[]
  readonly keyOf: (row: Row) => string
  /** Without its ending. */
  readonly file: string
  readonly aside?: ComponentChildren
  /** The chart. */
  readonly children: ComponentChildren
}

/** A chart, or the same as a table, and a file of the same rows. */
export const ChartView = <Row,>(props: ChartViewProps<Row>) => {
  const { name, label, columns, rows, fileRows = rows, keyOf, file, aside, children } = props
  const texts = useAnalyticsTexts()
  const tables = useTables()
  const isTable = tables.isTable(name)
  const inFile = columns.flatMap(column => (column.under ? [column, column.under] : [column]))
  const save = () =>
    saveFile(
      `${file}.csv`,
      'text/csv;charset=utf-8',
      csvText([
        inFile.map(({ fileHead }) => fileHead),
        ...fileRows.map(row => inFile.map(({ fileCell }) => fileCell(row))),
      ]),
    )
  return (
    <>
      <div class="chart-head">
        <p>{aside}</p>
        <div class="buttons">
          <button
            type="button"
            class="button button--small"
            aria-pressed={isTable}
            aria-label={`${texts.asTable}: ${label}`}
            onClick={() => tables.show(name, !isTable)}
          >
            {texts.asTable}
          </button>
          <button type="button" class="button button--small" aria-label={`CSV: ${label}`} onClick={save}>
            <Icon name="download" small />
            CSV
          </button>
        </div>
      </div>
      {isTable ? <Table label={label} columns={columns} rows={rows} keyOf={keyOf} /> : children}
    </>
  )
}

/** The charts of the page that are tables. They are no step in the history. */
export const useTables = () => {
  const query = useAddressQuery()
  const get = () => query.get('tables')?.split(' ') ?? []
  return {
    isTable: (name: string): boolean => get().includes(name),
    show: (name: string, isTable: boolean) =>
      query.replace({ tables: [...get().filter(each => each !== name), ...(isTable ? [name] : [])].join(' ') }),
  }
}
