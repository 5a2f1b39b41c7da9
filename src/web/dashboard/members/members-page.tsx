import { useState } from 'preact/hooks'
import type { InviteWithToken, Member } from '../../api/calls.ts'
import { Badge } from '../../parts/badge.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Moment } from '../../parts/moment.tsx'
import { SkeletonRows } from '../../parts/skeleton.tsx'
import { Table, type TableColumn } from '../../parts/table.tsx'
import { showToast } from '../../parts/toast.tsx'
import { Confirm } from '../shell/confirm.tsx'
import { OwnersNote } from '../shell/owners-note.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { PageLinks, readListPage, usePosition } from '../shell/pages.tsx'
import { useRefresh, useShopQuery } from '../shell/queries.ts'
import { Result } from '../shell/result.tsx'
import { RowMenu, useActionsColumn } from '../shell/row-actions.tsx'
import { useIsOwner, useScope, useShop } from '../shell/shop.ts'
import { useTexts } from '../shell/texts.ts'
import { ChangeRole } from './change-role.tsx'
import { InviteDialog } from './invite-dialog.tsx'
import { InviteLink } from './invite-link.tsx'
import { Invites } from './invites.tsx'
import { useMembersTexts } from './texts.ts'

type Asked = { readonly what: 'role' | 'remove'; readonly member: Member }

export const MembersPage = () => {
  const texts = useMembersTexts()
  const isOwner = useIsOwner()
  const position = usePosition()
  const [isNew, setNew] = useState(false)
  const [made, setMade] = useState<InviteWithToken>()
  const [asked, setAsked] = useState<Asked>()
  const result = useShopQuery(['members', 'list', position], ({ call, merchantId }, signal) =>
    readListPage<Member>(position, page => call('listMembers', { merchantId, ...page }, { signal })),
  ).value
  const close = () => setAsked(undefined)
  return (
    <>
      <PageHead
        title={texts.title}
        lead={texts.what}
        actions={
          isOwner && (
            <button type="button" class="button button--primary" onClick={() => setNew(true)}>
              <Icon name="plus" />
              {texts.invite}
            </button>
          )
        }
      />
      <OwnersNote of="owners" />
      <Result result={result} skeleton={<SkeletonRows rows={4} />}>
        {page => (
          <>
            <MembersTable rows={page.rows} isAlone={isOnlyOwner(page)} onAsk={isOwner ? setAsked : undefined} />
            <PageLinks {...page} />
          </>
        )}
      </Result>
      <Invites />
      {isNew && (
        <InviteDialog
          onClose={() => setNew(false)}
          onMade={invite => {
            setNew(false)
            setMade(invite)
          }}
        />
      )}
      {made && <InviteLink invite={made} onClose={() => setMade(undefined)} />}
      {asked?.what === 'role' && <ChangeRole member={asked.member} onClose={close} />}
      {asked?.what === 'remove' && <RemoveMember member={asked.member} onClose={close} />}
    </>
  )
}

/** Whether the shop has only one owner. False if the list has more than one page, because then it is not known. */
const isOnlyOwner = (page: {
  readonly rows: readonly Member[]
  readonly hasNewer: boolean
  readonly hasOlder: boolean
}) => !page.hasNewer && !page.hasOlder && page.rows.filter(({ role }) => role === 'owner').length === 1

type MembersTableProps = {
  readonly rows: readonly Member[]
  readonly isAlone: boolean
  readonly onAsk: ((asked: Asked) => void) | undefined
}

const MembersTable = ({ rows, isAlone, onAsk }: MembersTableProps) => {
  const texts = useMembersTexts()
  const { roles } = useTexts()
  const { account } = useShop()
  const isOwn = ({ id }: Member) => id === account.user.id
  const actionsColumn = useActionsColumn()
  const columns: readonly TableColumn<Member>[] = [
    {
      key: 'person',
      head: texts.person,
      card: 1,
      cell: member => (
        <span class="clip">
          {member.email} {isOwn(member) && <span class="quiet">{texts.you}</span>}
        </span>
      ),
    },
    { key: 'role', head: texts.role, card: 2, cell: ({ role }) => roles[role] },
    {
      key: 'mfa',
      head: texts.signIn,
      card: 3,
      cell: ({ mfaEnabled }) => (
        <Badge shape={mfaEnabled ? 'done' : 'warn'} tone={mfaEnabled ? 'good' : 'warn'}>
          {mfaEnabled ? texts.secondFactor : texts.passwordOnly}
        </Badge>
      ),
    },
    { key: 'since', head: texts.since, card: 5, named: true, cell: ({ createdAt }) => <Moment at={createdAt} short /> },
    ...(onAsk
      ? [
          actionsColumn(
            6,
            (member: Member) =>
              !(isAlone && member.role === 'owner') && (
                <RowMenu
                  name={member.email}
                  items={[
                    { label: texts.changeRole, onSelect: () => onAsk({ what: 'role', member }) },
                    {
                      ...{ label: isOwn(member) ? texts.leave : texts.remove, danger: true },
                      onSelect: () => onAsk({ what: 'remove', member }),
                    },
                  ]}
                />
              ),
          ),
        ]
      : []),
  ]
  return (
    <>
      <Table label={texts.list} columns={columns} rows={rows} keyOf={({ id }) => id} />
      {isAlone && onAsk && <p class="pages">{texts.lastOwner}</p>}
    </>
  )
}

const RemoveMember = ({ member, onClose }: { readonly member: Member; readonly onClose: () => void }) => {
  const texts = useMembersTexts()
  const { session, account, merchant } = useShop()
  const { merchantId } = useScope()
  const refresh = useRefresh()
  const isOwn = member.id === account.user.id
  return (
    <Confirm
      open
      title={isOwn ? texts.leaveTitle(merchant.name) : texts.removeTitle(member.email)}
      no={texts.cancel}
      yes={isOwn ? texts.leave : texts.remove}
      danger
      onClose={onClose}
      onYes={async () => {
        await session.call('removeMember', { merchantId, id: member.id })
        if (isOwn) return await session.reload()
        await refresh('members')
        showToast(texts.removed)
      }}
    >
      {isOwn ? texts.leaveWhat : texts.removeWhat}
    </Confirm>
  )
}
