import { shortenMiddle } from '../../parts/address.tsx'
import { useReader } from '../../parts/reader.ts'
import { Table } from '../../parts/table.tsx'
import { labelLines } from '../machines/chart.ts'
import { useOpsTexts } from '../shell/texts.ts'
import type { SlottedRow, TailRow } from './tail.ts'

type TailTableProps = { readonly rows: readonly SlottedRow[]; readonly onFocus: () => void }

/** The rows stand still while one of them has the focus: `onFocus` pauses them. */
export const TailTable = ({ rows, onFocus }: TailTableProps) => {
  const { tail: texts } = useOpsTexts()
  const { formats } = useReader()
  return (
    <div class="tail" onFocusIn={onFocus}>
      <Table
        label={texts.label}
        rows={rows}
        keyOf={({ slot }) => String(slot)}
        columns={[
          {
            ...{ key: 'time', head: texts.time, card: 4 },
            cell: ({ at }) => (
              <time datetime={at} title={formats.exact(at)}>
                {formats.instant(at)}
              </time>
            ),
          },
          { key: 'kind', head: texts.kind, card: 3, cell: ({ kind }) => kind },
          {
            ...{ key: 'actor', head: texts.actor, card: 5 },
            cell: ({ actorId, rev }) => (
              <a class="open" href={`/ops/actors/${actorId}?rev=${rev}`} title={actorId}>
                {shortenMiddle(actorId)}
              </a>
            ),
          },
          { key: 'change', head: texts.change, card: 1, cell: row => <Change {...row} /> },
          { key: 'event', head: texts.event, card: 2, cell: ({ event }) => labelLines([event]) },
          {
            ...{ key: 'cause', head: texts.cause, card: 6, end: true },
            cell: ({ cause: { type, name, id } }) => (
              <span class="quiet" title={id ?? undefined}>
                {[type, name ?? (type === 'chain' ? id : null)].filter(Boolean).join(' ')}
              </span>
            ),
          },
        ]}
      />
    </div>
  )
}

const Change = ({ from, to }: Pick<TailRow, 'from' | 'to'>) => {
  const { tail: texts } = useOpsTexts()
  if (from === to)
    return (
      <>
        <span class="quiet">{texts.stays}</span> {to}
      </>
    )
  return (
    <>
      {from} <span class="quiet">→</span> {to}
    </>
  )
}
