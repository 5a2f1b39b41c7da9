import type { WebhookDelivery } from '../../api/calls.ts'
import { Moment } from '../../parts/moment.tsx'
import { useReader } from '../../parts/reader.ts'
import { StateBadge } from '../../parts/state-strip.tsx'
import { clipped, Table, type TableColumn } from '../../parts/table.tsx'
import { useAddress } from '../shell/shop.ts'
import { deliveryPath } from './delivery-state.ts'
import { type DeliveriesTexts, useDeliveriesTexts } from './texts.ts'

type DeliveriesTableProps = {
  readonly rows: readonly WebhookDelivery[]
  /** What the endpoints are called, if they are several. Without them the table is narrow, beside something else. */
  readonly names?: ReadonlyMap<string, string>
}

export const DeliveriesTable = ({ rows, names }: DeliveriesTableProps) => {
  const texts = useDeliveriesTexts()
  const { formats, now } = useReader()
  const address = useAddress()
  const columns: readonly TableColumn<WebhookDelivery>[] = [
    {
      key: 'event',
      head: texts.event,
      card: 1,
      cell: ({ id, eventType }) => (
        <a class="open" href={address('deliveries', id)}>
          {wrapping(eventType)}
        </a>
      ),
    },
    {
      key: 'status',
      head: texts.status,
      card: 2,
      cell: delivery => <StateBadge path={deliveryPath(delivery, texts)} />,
    },
    ...(names
      ? [
          {
            ...({ key: 'endpoint', head: texts.endpoint, card: 3 } as const),
            cell: ({ endpointId }: WebhookDelivery) => clipped(names.get(endpointId)),
          },
        ]
      : []),
    {
      key: 'attempts',
      head: texts.attempts,
      card: 4,
      named: true,
      cell: ({ attempts }) => formats.count(attempts.at(-1)?.number ?? 0),
    },
    {
      key: 'answer',
      head: texts.answer,
      card: 5,
      named: true,
      cell: delivery => clipped(lastAnswer(delivery, texts)),
    },
    {
      key: 'next',
      head: texts.nextTry,
      card: 6,
      named: true,
      cell: ({ nextAttemptAt }) => (nextAttemptAt === null ? null : formats.relative(nextAttemptAt, now.value)),
    },
    {
      key: 'created',
      head: texts.created,
      card: 7,
      end: true,
      cell: ({ createdAt }) => <Moment at={createdAt} short />,
    },
  ]
  return (
    <Table
      label={texts.list}
      columns={names ? columns : columns.filter(({ key }) => key !== 'attempts' && key !== 'next')}
      rows={rows}
      keyOf={({ id }) => id}
      stateOf={({ status }) => (status === 'canceled' ? 'ended' : undefined)}
    />
  )
}

/** An event type, which breaks after its dot where it does not fit. */
const wrapping = (eventType: string) => {
  const [record, name] = eventType.split('.')
  return (
    <>
      {record}.<wbr />
      {name}
    </>
  )
}

const lastAnswer = ({ attempts }: WebhookDelivery, { outcomes }: DeliveriesTexts): string | undefined => {
  const last = attempts.findLast(({ outcome }) => outcome !== null)
  if (last?.outcome == null) return undefined
  return last.httpStatus === null ? outcomes[last.outcome] : String(last.httpStatus)
}
