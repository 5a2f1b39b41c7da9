import { useState } from 'preact/hooks'
import type { ApiKey } from '../../api/calls.ts'
import { Badge } from '../../parts/badge.tsx'
import { CodeBlock } from '../../parts/code.tsx'
import { CopyButton } from '../../parts/copy.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Moment } from '../../parts/moment.tsx'
import { useReader } from '../../parts/reader.ts'
import { SkeletonRows } from '../../parts/skeleton.tsx'
import { Table, type TableColumn } from '../../parts/table.tsx'
import { showToast } from '../../parts/toast.tsx'
import { RotateDialog } from '../secrets/rotate-dialog.tsx'
import { SecretDialog } from '../secrets/secret-dialog.tsx'
import { Confirm } from '../shell/confirm.tsx'
import { OwnersNote } from '../shell/owners-note.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { PageLinks, readListPage, usePosition } from '../shell/pages.tsx'
import { useRefresh, useShopQuery } from '../shell/queries.ts'
import { Section } from '../shell/record.tsx'
import { Result } from '../shell/result.tsx'
import { RowMenu, useActionsColumn } from '../shell/row-actions.tsx'
import { useCanWrite, useScope, useShop } from '../shell/shop.ts'
import { accessOf, keyLook } from './key-state.ts'
import { NewKey } from './new-key.tsx'
import { useKeysTexts } from './texts.ts'

type Asked = { readonly what: 'rotate' | 'revoke'; readonly key: ApiKey }

export const KeysPage = () => {
  const texts = useKeysTexts()
  const { session, livemode } = useShop()
  const { merchantId } = useScope()
  const canWrite = useCanWrite()
  const refresh = useRefresh()
  const position = usePosition()
  const [isNew, setNew] = useState(false)
  const [asked, setAsked] = useState<Asked>()
  const [secret, setSecret] = useState<string>()
  const result = useShopQuery(['keys', position], ({ call, ...scope }, signal) =>
    readListPage<ApiKey>(position, page => call('listApiKeys', { ...scope, ...page }, { signal })),
  ).value
  const close = () => setAsked(undefined)
  const create = canWrite && (
    <button type="button" class="button button--primary" onClick={() => setNew(true)}>
      <Icon name="plus" />
      {texts.create}
    </button>
  )
  return (
    <>
      <PageHead title={texts.title} lead={livemode ? texts.what : texts.whatTest} actions={create} />
      <OwnersNote />
      <Result result={result} skeleton={<SkeletonRows rows={4} />}>
        {page =>
          page.rows.length === 0 ? (
            <Empty title={texts.emptyTitle}>{texts.emptyWhat}</Empty>
          ) : (
            <>
              <KeysTable rows={page.rows} onAsk={canWrite ? setAsked : undefined} />
              <PageLinks {...page} />
            </>
          )
        }
      </Result>
      <TryIt livemode={livemode} />
      <NewKey
        open={isNew}
        onClose={() => setNew(false)}
        onMade={made => {
          setNew(false)
          setSecret(made)
        }}
      />
      <RotateDialog
        open={asked?.what === 'rotate'}
        title={texts.rotateTitle(asked?.key.name ?? '')}
        what={texts.rotateWhat}
        yes={texts.rotate}
        onClose={close}
        onRotate={async overlapHours => {
          if (!asked) return
          const made = await session.call('rotateApiKey', { merchantId, id: asked.key.id, overlapHours })
          await refresh('keys')
          close()
          setSecret(made.secret)
        }}
      />
      <Confirm
        open={asked?.what === 'revoke'}
        title={texts.revokeTitle(asked?.key.name ?? '')}
        no={texts.cancel}
        yes={texts.revoke}
        danger
        onClose={close}
        onYes={async () => {
          if (!asked) return
          await session.call('revokeApiKey', { merchantId, id: asked.key.id })
          await refresh('keys')
          showToast(texts.revokeDone)
        }}
      >
        {texts.revokeWhat}
      </Confirm>
      <SecretDialog
        secret={secret}
        title={texts.secretTitle}
        lead={texts.secretWhat}
        onClose={() => setSecret(undefined)}
      />
    </>
  )
}

type KeysTableProps = { readonly rows: readonly ApiKey[]; readonly onAsk: ((asked: Asked) => void) | undefined }

const KeysTable = ({ rows, onAsk }: KeysTableProps) => {
  const texts = useKeysTexts()
  const { formats, now } = useReader()
  const lookOf = (key: ApiKey) => keyLook(key, texts, formats, now.value)
  const actionsColumn = useActionsColumn()
  const columns: readonly TableColumn<ApiKey>[] = [
    { key: 'name', head: texts.name, card: 1, cell: ({ name }) => <b class="clip">{name}</b> },
    {
      key: 'status',
      head: texts.status,
      card: 2,
      cell: key => {
        const { word, isOver: _, ...look } = lookOf(key)
        return <Badge {...look}>{word}</Badge>
      },
    },
    { key: 'access', head: texts.access, card: 3, cell: key => accessOf(key, texts) },
    {
      key: 'key',
      head: texts.key,
      card: 5,
      cell: ({ livemode, last4 }) => (
        <code>
          sk_{livemode ? 'live' : 'test'}_…{last4}
        </code>
      ),
    },
    {
      key: 'used',
      head: texts.lastUsed,
      card: 4,
      named: true,
      cell: ({ lastUsedAt }) => (lastUsedAt === null ? texts.never : <Moment at={lastUsedAt} short />),
    },
    ...(onAsk
      ? [
          actionsColumn(
            6,
            (key: ApiKey) =>
              !lookOf(key).isOver && (
                <RowMenu
                  name={key.name}
                  items={[
                    { label: texts.rotate, onSelect: () => onAsk({ what: 'rotate', key }) },
                    { label: texts.revoke, onSelect: () => onAsk({ what: 'revoke', key }), danger: true },
                  ]}
                />
              ),
          ),
        ]
      : []),
  ]
  return (
    <Table
      label={texts.list}
      columns={columns}
      rows={rows}
      keyOf={({ id }) => id}
      stateOf={key => (lookOf(key).isOver ? 'ended' : undefined)}
    />
  )
}

/** A line for a terminal. The secret is not known here: it stands in a variable. */
const TryIt = ({ livemode }: { readonly livemode: boolean }) => {
  const texts = useKeysTexts()
  const command = `curl ${location.origin}/v1/payments?limit=3 \\\n  -H "Authorization: Bearer sk_${livemode ? 'live' : 'test'}_…"`
  return (
    <Section title={texts.tryTitle} aside={texts.tryWhat}>
      <div class="command-line">
        <CodeBlock text={command} label={texts.tryTitle} />
        <CopyButton value={command} what={texts.tryTitle}>
          {texts.copyCommand}
        </CopyButton>
      </div>
    </Section>
  )
}
