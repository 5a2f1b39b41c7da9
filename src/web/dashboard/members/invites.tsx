import { useState } from 'preact/hooks'
import type { Invite } from '../../api/calls.ts'
import { Moment } from '../../parts/moment.tsx'
import { SkeletonRows } from '../../parts/skeleton.tsx'
import { Table, type TableColumn } from '../../parts/table.tsx'
import { showToast } from '../../parts/toast.tsx'
import { Confirm } from '../shell/confirm.tsx'
import { useRefresh, useShopQuery } from '../shell/queries.ts'
import { Section } from '../shell/record.tsx'
import { Result } from '../shell/result.tsx'
import { useActionsColumn } from '../shell/row-actions.tsx'
import { useIsOwner, useScope, useShop } from '../shell/shop.ts'
import { useTexts } from '../shell/texts.ts'
import { useMembersTexts } from './texts.ts'

/** Pending invites. */
export const Invites = () => {
  const texts = useMembersTexts()
  const { session } = useShop()
  const { merchantId } = useScope()
  const isOwner = useIsOwner()
  const refresh = useRefresh()
  const [asked, setAsked] = useState<Invite>()
  const result = useShopQuery(['members', 'invites'], ({ call, merchantId }, signal) =>
    call('listInvites', { merchantId, limit: 100 }, { signal }),
  ).value
  return (
    <Section title={texts.invites} aside={isOwner && texts.invitesWhat}>
      <Result result={result} skeleton={<SkeletonRows rows={1} />}>
        {({ data }) =>
          data.length === 0 ? (
            <p class="quiet">{texts.noInvites}</p>
          ) : (
            <InvitesTable rows={data} onAsk={isOwner ? setAsked : undefined} />
          )
        }
      </Result>
      <Confirm
        open={asked !== undefined}
        title={texts.revokeTitle}
        no={texts.cancel}
        yes={texts.revoke}
        danger
        onClose={() => setAsked(undefined)}
        onYes={async () => {
          if (!asked) return
          await session.call('revokeInvite', { merchantId, id: asked.id })
          await refresh('members')
          showToast(texts.revoked)
        }}
      >
        {texts.revokeWhat}
      </Confirm>
    </Section>
  )
}

type InvitesTableProps = {
  readonly rows: readonly Invite[]
  readonly onAsk: ((invite: Invite) => void) | undefined
}

const InvitesTable = ({ rows, onAsk }: InvitesTableProps) => {
  const texts = useMembersTexts()
  const { roles } = useTexts()
  const nameOf = ({ email }: Invite) => email ?? texts.anyone
  const actionsColumn = useActionsColumn()
  const columns: readonly TableColumn<Invite>[] = [
    { key: 'for', head: texts.for, card: 1, cell: invite => <span class="clip">{nameOf(invite)}</span> },
    { key: 'role', head: texts.role, card: 2, cell: ({ role }) => roles[role] },
    {
      key: 'ends',
      head: texts.ends,
      card: 3,
      cell: ({ status, expiresAt }) => (status === 'expired' ? texts.expired : <Moment at={expiresAt} short />),
    },
    ...(onAsk
      ? [
          actionsColumn(4, (invite: Invite) => (
            <button
              type="button"
              class="button button--small"
              aria-label={texts.revokeOf(nameOf(invite))}
              onClick={() => onAsk(invite)}
            >
              {texts.revoke}
            </button>
          )),
        ]
      : []),
  ]
  return (
    <Table
      label={texts.inviteList}
      columns={columns}
      rows={rows}
      keyOf={({ id }) => id}
      stateOf={({ status }) => (status === 'expired' ? 'ended' : undefined)}
    />
  )
}
