import type { ComponentChildren } from 'preact'
import { Icon } from '../../parts/icon.tsx'
import { Menu, type MenuItem } from '../../parts/menu.tsx'
import type { TableColumn } from '../../parts/table.tsx'
import { useTexts } from './texts.ts'

/** Makes the last column of a table: buttons, or a menu, for the record of a row. `card` is its place in a card. */
export const useActionsColumn = () => {
  const { list } = useTexts()
  return <Row,>(card: TableColumn<Row>['card'], cell: (row: Row) => ComponentChildren): TableColumn<Row> => ({
    ...{ key: 'actions', head: list.actions, quietHead: true, end: true },
    ...{ card, cell },
  })
}

type RowMenuProps = {
  /** What the actions are for. */
  readonly name: string
  readonly items: readonly MenuItem[]
}

/** A button with three dots that opens a menu. */
export const RowMenu = ({ name, items }: RowMenuProps) => {
  const { list } = useTexts()
  return (
    <Menu label={list.actionsFor(name)} class="icon-button" items={items}>
      <Icon name="more" />
    </Menu>
  )
}
