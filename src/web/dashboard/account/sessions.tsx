import { useState } from 'preact/hooks'
import type { Session } from '../../api/calls.ts'
import { ApiError } from '../../api/request.ts'
import { Badge } from '../../parts/badge.tsx'
import { ErrorNote } from '../../parts/error-note.tsx'
import { Moment } from '../../parts/moment.tsx'
import { SkeletonRows } from '../../parts/skeleton.tsx'
import { Table, type TableColumn } from '../../parts/table.tsx'
import { showToast } from '../../parts/toast.tsx'
import { useAction } from '../shell/action.ts'
import { Confirm } from '../shell/confirm.tsx'
import { shownFailure } from '../shell/failure.ts'
import { useRefresh, useShopQuery } from '../shell/queries.ts'
import { Section } from '../shell/record.tsx'
import { Result } from '../shell/result.tsx'
import { useActionsColumn } from '../shell/row-actions.tsx'
import { useShop } from '../shell/shop.ts'
import { deviceOf } from './device.ts'
import { type AccountTexts, useAccountTexts } from './texts.ts'

/** Where the account is signed in. Each session can be ended from here. */
export const Sessions = () => {
  const texts = useAccountTexts()
  const { session } = useShop()
  const refresh = useRefresh()
  const action = useAction()
  const [isAsked, setAsked] = useState(false)
  const result = useShopQuery(['sessions'], ({ call }, signal) => call('listSessions', {}, { signal })).value
  const others = result.data?.data.filter(({ current }) => !current) ?? []
  const end = (id: string) =>
    void action.run(async () => {
      await session.call('endSession', { id })
      await refresh('sessions')
      showToast(texts.ended)
    })
  return (
    <Section title={texts.sessions} aside={texts.sessionsWhat}>
      {action.error !== undefined && <ErrorNote failure={shownFailure(action.error)} />}
      <Result result={result} skeleton={<SkeletonRows rows={2} />}>
        {({ data }) => <SessionsTable rows={data} onEnd={end} />}
      </Result>
      {others.length > 0 && (
        <div class="pages">
          <button type="button" class="button" onClick={() => setAsked(true)}>
            {texts.endOthers}
          </button>
        </div>
      )}
      <Confirm
        open={isAsked}
        title={texts.endOthersTitle}
        no={texts.cancel}
        yes={texts.endOthers}
        danger
        onClose={() => setAsked(false)}
        onYes={async () => {
          for (const { id } of others)
            await session.call('endSession', { id }).catch(error => {
              // It has ended by itself in the meantime.
              if (!(error instanceof ApiError && error.status === 404)) throw error
            })
          await refresh('sessions')
          showToast(texts.othersEnded)
        }}
      >
        {texts.endOthersWhat}
      </Confirm>
    </Section>
  )
}

const nameOf = ({ userAgent }: Session, texts: AccountTexts): string => {
  if (userAgent === null) return texts.unknownDevice
  const { browser, system } = deviceOf(userAgent)
  return system === undefined ? browser : texts.deviceOn(browser, system)
}

type SessionsTableProps = { readonly rows: readonly Session[]; readonly onEnd: (id: string) => void }

const SessionsTable = ({ rows, onEnd }: SessionsTableProps) => {
  const texts = useAccountTexts()
  const actionsColumn = useActionsColumn()
  const columns: readonly TableColumn<Session>[] = [
    {
      key: 'device',
      head: texts.device,
      card: 1,
      cell: session => (
        <span class="clip" title={session.userAgent ?? undefined}>
          {nameOf(session, texts)}
        </span>
      ),
    },
    { key: 'address', head: texts.address, card: 3, cell: ({ address }) => address },
    {
      key: 'created',
      head: texts.signedIn,
      card: 7,
      named: true,
      cell: ({ createdAt }) => <Moment at={createdAt} short />,
    },
    {
      key: 'used',
      head: texts.lastUsed,
      card: 5,
      named: true,
      cell: ({ lastUsedAt }) => <Moment at={lastUsedAt} short />,
    },
    actionsColumn(2, session =>
      session.current ? (
        <Badge shape="done" tone="good">
          {texts.thisOne}
        </Badge>
      ) : (
        <button
          type="button"
          class="button button--small"
          aria-label={texts.endOf(nameOf(session, texts))}
          onClick={() => onEnd(session.id)}
        >
          {texts.end}
        </button>
      ),
    ),
  ]
  return <Table label={texts.sessionList} columns={columns} rows={rows} keyOf={({ id }) => id} />
}
