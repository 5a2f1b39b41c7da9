import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import type { WebhookEndpoint } from '../../api/calls.ts'
import { Empty } from '../../parts/empty.tsx'
import { ErrorNote } from '../../parts/error-note.tsx'
import { Icon } from '../../parts/icon.tsx'
import type { Menu } from '../../parts/menu.tsx'
import { Moment } from '../../parts/moment.tsx'
import { NoteBox } from '../../parts/note.tsx'
import { SkeletonRows } from '../../parts/skeleton.tsx'
import { Table, type TableColumn } from '../../parts/table.tsx'
import { showToast } from '../../parts/toast.tsx'
import { nameOfEndpoint } from '../deliveries/endpoint-name.ts'
import { useEventTypes } from '../event-types/texts.ts'
import { SecretDialog } from '../secrets/secret-dialog.tsx'
import { useAction } from '../shell/action.ts'
import { Confirm } from '../shell/confirm.tsx'
import { shownFailure } from '../shell/failure.ts'
import { useAddressQuery } from '../shell/filters.tsx'
import { OwnersNote } from '../shell/owners-note.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { PageLinks, readListPage, usePosition } from '../shell/pages.tsx'
import { useRefresh, useShopQuery } from '../shell/queries.ts'
import { Result } from '../shell/result.tsx'
import { RowMenu, useActionsColumn } from '../shell/row-actions.tsx'
import { useAddress, useCanWrite, useScope, useShop } from '../shell/shop.ts'
import { EndpointProblem, EndpointState } from './health.tsx'
import { NewEndpoint } from './new-endpoint.tsx'
import { openInbox, sendTest } from './open-inbox.ts'
import { useWebhooksTexts } from './texts.ts'
import { VerifyCode } from './verify-code.tsx'

export const WebhooksPage = () => {
  const texts = useWebhooksTexts()
  const { session } = useShop()
  const { merchantId, livemode } = useScope()
  const address = useAddress()
  const canWrite = useCanWrite()
  const refresh = useRefresh()
  const position = usePosition()
  const action = useAction()
  const query = useAddressQuery()
  /** An event type that the new endpoint is to receive: a link from elsewhere opens the dialog with it. */
  const wanted = query.get('new')
  const [isNew, setNew] = useState(canWrite && wanted !== undefined)
  const closeNew = () => {
    setNew(false)
    if (wanted !== undefined) query.filter({ new: undefined })
  }
  const [secret, setSecret] = useState<string>()
  const [deleted, setDeleted] = useState<WebhookEndpoint>()
  const result = useShopQuery(['webhooks', position], ({ call, ...scope }, signal) =>
    readListPage<WebhookEndpoint>(position, page => call('listWebhookEndpoints', { ...scope, ...page }, { signal })),
  ).value
  const close = () => setDeleted(undefined)
  const enable = (id: string) =>
    void action.run(async () => {
      await session.call('enableWebhookEndpoint', { merchantId, id })
      await refresh('webhooks')
      showToast(texts.enabledDone)
    })
  const test = (id: string) =>
    void action.run(async () => {
      showToast(texts.test.running)
      const { attempts } = await sendTest(session, merchantId, id)
      const { outcome } = attempts.at(-1) ?? { outcome: null }
      showToast(outcome === null ? texts.testSent : outcome === 'delivered' ? texts.test.good : texts.test.bad)
      await refresh('deliveries')
    })
  const itemsOf = (endpoint: WebhookEndpoint) => [
    endpoint.status === 'enabled'
      ? { label: texts.sendTest, onSelect: () => test(endpoint.id) }
      : { label: texts.enable, onSelect: () => enable(endpoint.id) },
    { label: texts.delete, onSelect: () => setDeleted(endpoint), danger: true },
  ]
  return (
    <>
      <PageHead
        title={texts.title}
        lead={texts.what}
        actions={
          <>
            <a class="button" href={address('deliveries')}>
              {texts.all}
            </a>
            {canWrite && (
              <button type="button" class="button button--primary" onClick={() => setNew(true)}>
                <Icon name="plus" />
                {texts.create}
              </button>
            )}
          </>
        }
      />
      <OwnersNote />
      {action.error !== undefined && <ErrorNote failure={shownFailure(action.error)} />}
      <Result result={result} skeleton={<SkeletonRows rows={4} />}>
        {page =>
          page.rows.length === 0 ? (
            <Empty title={texts.emptyTitle} action={canWrite && !livemode && <MakeInbox />}>
              {texts.emptyWhat}
            </Empty>
          ) : (
            <>
              <EndpointsTable rows={page.rows} itemsOf={canWrite ? itemsOf : undefined} />
              <PageLinks {...page} />
            </>
          )
        }
      </Result>
      <NewEndpoint
        open={isNew}
        wanted={wanted}
        onClose={closeNew}
        onMade={made => {
          closeNew()
          setSecret(made)
        }}
      />
      <Confirm
        open={deleted !== undefined}
        title={texts.deleteTitle}
        no={texts.cancel}
        yes={texts.delete}
        danger
        onClose={close}
        onYes={async () => {
          if (!deleted) return
          await session.call('deleteWebhookEndpoint', { merchantId, id: deleted.id })
          await refresh('webhooks')
          showToast(texts.deleteDone)
        }}
      >
        <NoteBox title={deleted?.url ?? ''} />
        <p>{texts.deleteWhat}</p>
      </Confirm>
      <SecretDialog
        secret={secret}
        title={texts.secretTitle}
        lead={texts.secretWhat}
        onClose={() => setSecret(undefined)}
      >
        <VerifyCode />
      </SecretDialog>
    </>
  )
}

/** For a look at webhooks before there is a server that receives them. */
const MakeInbox = () => {
  const texts = useWebhooksTexts()
  const { session } = useShop()
  const { merchantId } = useScope()
  const { route } = useLocation()
  const address = useAddress()
  const eventTypes = useEventTypes()
  const refresh = useRefresh()
  const action = useAction()
  const make = () =>
    void action.run(async () => {
      const { id, hasArrived } = await openInbox(session, { merchantId, existing: undefined, eventTypes })
      await refresh('webhooks')
      showToast(hasArrived ? texts.inboxMade : texts.inboxWaits)
      route(address('webhooks', id))
    })
  return (
    <>
      <button type="button" class="button" aria-disabled={action.isRunning} onClick={make}>
        {texts.makeInbox}
      </button>
      {action.error !== undefined && <ErrorNote failure={shownFailure(action.error)} />}
    </>
  )
}

type EndpointsTableProps = {
  readonly rows: readonly WebhookEndpoint[]
  readonly itemsOf: ((endpoint: WebhookEndpoint) => Parameters<typeof Menu>[0]['items']) | undefined
}

const EndpointsTable = ({ rows, itemsOf }: EndpointsTableProps) => {
  const texts = useWebhooksTexts()
  const address = useAddress()
  const actionsColumn = useActionsColumn()
  const columns: readonly TableColumn<WebhookEndpoint>[] = [
    {
      key: 'url',
      head: texts.endpoint,
      card: 1,
      cell: endpoint => (
        <>
          <a class="open clip" href={address('webhooks', endpoint.id)}>
            <b>{nameOfEndpoint(endpoint, texts.inbox)}</b>
          </a>
          {endpoint.description !== null && <span class="table__under">{endpoint.description}</span>}
          <EndpointProblem endpoint={endpoint} />
        </>
      ),
    },
    {
      key: 'status',
      head: texts.status,
      card: 2,
      cell: endpoint => <EndpointState endpoint={endpoint} />,
    },
    {
      key: 'events',
      head: texts.events,
      card: 3,
      cell: ({ eventTypes }) => <span title={eventTypes.join(', ')}>{texts.eventCount(eventTypes.length)}</span>,
    },
    {
      key: 'created',
      head: texts.created,
      card: 5,
      named: true,
      cell: ({ createdAt }) => <Moment at={createdAt} short />,
    },
    ...(itemsOf
      ? [actionsColumn(6, (endpoint: WebhookEndpoint) => <RowMenu name={endpoint.url} items={itemsOf(endpoint)} />)]
      : []),
  ]
  return (
    <Table
      label={texts.list}
      columns={columns}
      rows={rows}
      keyOf={({ id }) => id}
      stateOf={({ status }) => (status === 'disabled' ? 'ended' : undefined)}
    />
  )
}
