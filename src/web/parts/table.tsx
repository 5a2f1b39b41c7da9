import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import { isTyping, useShortcut } from './shortcut.ts'

export type TableColumn<Row> = {
  readonly key: string
  readonly head: string
  /** The head is for screen readers only: the column of menus. */
  readonly quietHead?: boolean
  /** Null: there is nothing to show, a dash in the table and no line in the card. */
  readonly cell: (row: Row) => ComponentChildren
  /** Amounts stand at the end, in a straight edge. */
  readonly end?: boolean
  /** Its place in the card that a row becomes in a narrow container: 1 large at the start, 2 beside it, then in rows of two. */
  readonly card: 1 | 2 | 3 | 4 | 5 | 6 | 7
  /** In a card, its head stands before it: a number or a time that could be several things. */
  readonly named?: boolean
}

type TableProps<Row> = {
  readonly label: string
  readonly columns: readonly TableColumn<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
  /** Ended records are quiet, a changed one is tinted for a second. */
  readonly stateOf?: (row: Row) => 'ended' | 'changed' | undefined
}

/**
 * A list of records. One cell of each row contains the link of the record, with the class `open`, which covers the row.
 * `j` and `k` go from link to link, the arrow keys while the focus is in the table. The roles are repeated, because cards take
 * `display: table` away, and with it the meaning.
 */
export const Table = <Row,>({ label, columns, rows, keyOf, stateOf }: TableProps<Row>) => {
  const body = useRef<HTMLTableSectionElement>(null)
  const move = (step: 1 | -1) => {
    const links = [...(body.current?.querySelectorAll<HTMLElement>('a.open') ?? [])]
    const at = links.findIndex(link => link.closest('tr')?.contains(document.activeElement))
    links[Math.max(0, Math.min(links.length - 1, at + step))]?.focus()
  }
  const moveByArrow = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : undefined
    if (step === undefined || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
    event.preventDefault()
    move(step)
  }
  /** Of several tables on a page, the one with the focus; the first if none has it. */
  const isMeant = () => {
    const focused = document.activeElement?.closest('table')
    return body.current?.closest('table') === (focused ?? document.querySelector('.table table'))
  }
  useShortcut('j', () => isMeant() && move(1))
  useShortcut('k', () => isMeant() && move(-1))
  return (
    <div class="table">
      <table role="table" aria-label={label}>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map(({ key, head, quietHead, end }) => (
              <th key={key} role="columnheader" scope="col" class={end ? 'end' : undefined}>
                {quietHead ? <span class="sr">{head}</span> : head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={body} role="rowgroup" onKeyDown={moveByArrow}>
          {rows.map(row => (
            <tr key={keyOf(row)} role="row" class={stateOf?.(row)}>
              {columns.map(column => (
                <Cell key={column.key} column={column} row={row} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** A text of any length on one line. */
export const clipped = (text: string | null | undefined) => (text == null ? null : <span class="clip">{text}</span>)

const Cell = <Row,>({ column, row }: { readonly column: TableColumn<Row>; readonly row: Row }) => {
  const { card, end, named, head } = column
  const content = column.cell(row)
  return (
    <td
      role="cell"
      class={`c${card}${end ? ' end' : ''}${content === null ? ' none' : ''}`}
      data-name={named ? head : undefined}
    >
      {content ?? '–'}
    </td>
  )
}
