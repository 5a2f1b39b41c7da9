import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import type { InvitePreview } from '../../api/calls.ts'
import { useQuery } from '../../api/query.ts'
import { ApiError, send } from '../../api/request.ts'
import type { Session } from '../../api/session.ts'
import { Empty } from '../../parts/empty.tsx'
import { ErrorNote } from '../../parts/error-note.tsx'
import { Moment } from '../../parts/moment.tsx'
import { NoteBox } from '../../parts/note.tsx'
import { Loading, SkeletonRows } from '../../parts/skeleton.tsx'
import { showToast } from '../../parts/toast.tsx'
import { DoorFrame } from '../account/door.tsx'
import { Gate } from '../account/gate.tsx'
import { SignInForm } from '../account/sign-in-form.tsx'
import { useMembersTexts } from '../members/texts.ts'
import { type Action, useAction } from '../shell/action.ts'
import { shownFailure } from '../shell/failure.ts'
import { PageHead } from '../shell/page-head.tsx'
import type { Preferences } from '../shell/preferences.ts'
import { Facts } from '../shell/record.tsx'
import { addressIn } from '../shell/shop.ts'
import { useTexts } from '../shell/texts.ts'
import { NewMember } from './new-member.tsx'
import { useInviteTexts } from './texts.ts'

export type InvitePageProps = { readonly session: Session; readonly preferences: Preferences }

/** Where the link of an invite leads: with the account of this browser, another one, or a new one. */
export const InvitePage = ({ session, preferences }: InvitePageProps) => {
  const texts = useInviteTexts()
  // In the fragment, so that no server on the way can log it.
  const [token] = useState(() => location.hash.slice(1))
  return (
    <DoorFrame preferences={preferences}>
      {token === '' ? (
        <>
          <PageHead title={texts.title} lead={texts.what(location.host)} />
          <Empty title={texts.incomplete}>{texts.incompleteWhat}</Empty>
        </>
      ) : (
        <Invited session={session} token={token} />
      )}
    </DoorFrame>
  )
}

type InvitedProps = { readonly session: Session; readonly token: string }

/** What the invite is for. If that cannot be read now, it can still be accepted. */
const Invited = ({ session, token }: InvitedProps) => {
  const texts = useInviteTexts()
  const { data, error, refetch } = useQuery({
    queryKey: ['invite', token],
    queryFn: ({ signal }) => send('previewInvite', { token }, { signal }),
  }).value
  const isOver = error instanceof ApiError && error.code === 'resource_not_found'
  return (
    <>
      <PageHead title={data ? texts.titleOf(data.merchantName) : texts.title} lead={texts.what(location.host)} />
      {isOver ? (
        <div class="form">
          <NotValid />
          <a class="link" href="/dashboard">
            {texts.toDashboard}
          </a>
        </div>
      ) : data || error ? (
        <>
          {data && <InviteFacts invite={data} />}
          <Acceptance
            session={session}
            token={token}
            emailHint={data ? (data.hasEmail ? texts.emailBound : undefined) : texts.emailHint}
          />
        </>
      ) : (
        <Loading skeleton={<SkeletonRows rows={4} />} onRetry={() => void refetch()} />
      )}
    </>
  )
}

const InviteFacts = ({ invite: { role, expiresAt } }: { readonly invite: InvitePreview }) => {
  const texts = useInviteTexts()
  const { roles } = useTexts()
  const { rolesWhat } = useMembersTexts()
  return (
    <Facts
      facts={[
        [
          texts.role,
          <>
            {roles[role]}
            <span class="under">{rolesWhat[role]}</span>
          </>,
        ],
        [texts.until, <Moment at={expiresAt} />],
      ]}
    />
  )
}

type AcceptanceProps = InvitedProps & { readonly emailHint: string | undefined }

const Acceptance = ({ session, token, emailHint }: AcceptanceProps) => {
  const texts = useInviteTexts()
  const { route } = useLocation()
  const action = useAction()
  const [isNew, setNew] = useState(true)
  const state = session.state.value
  const account = state.phase === 'signed_in' ? state.account : undefined

  /** Runs the acceptance, and leads to the shop that it has added. */
  const acceptBy = (accept: () => Promise<unknown>) =>
    action.run(async () => {
      const before = session.state.peek()
      const known = before.phase === 'signed_in' ? before.account.merchants.map(({ id }) => id) : []
      await accept()
      const after = session.state.peek()
      const joined = after.phase === 'signed_in' && after.account.merchants.find(({ id }) => !known.includes(id))
      if (!joined) return route('/dashboard', true)
      route(addressIn({ merchantId: joined.id, livemode: false }, 'home'), true)
      showToast(texts.joined(joined.name))
    })
  const accept = () =>
    acceptBy(async () => {
      await session.call('acceptInvite', { token })
      await session.reload()
    })

  if (account)
    return (
      <div class="form">
        <p>{texts.signedInAs(account.user.email)}</p>
        <Refused action={action} />
        <button
          type="button"
          class="button button--primary button--wide"
          aria-disabled={action.isRunning}
          onClick={() => void accept()}
        >
          {texts.accept}
        </button>
        <button
          type="button"
          class="link"
          onClick={() => {
            action.reset()
            setNew(false)
            session.signOut().catch(() => {})
          }}
        >
          {texts.otherAccount}
        </button>
        <a class="link" href="/dashboard">
          {texts.toDashboard}
        </a>
        <Gate session={session} account={account} />
      </div>
    )
  return (
    <>
      <h2>{isNew ? texts.createTitle : texts.signInTitle}</h2>
      {isNew ? (
        <NewMember
          action={action}
          emailHint={emailHint}
          onSubmit={given => acceptBy(() => session.enter('acceptInvite', { token, ...given }))}
        >
          <Refused action={action} />
        </NewMember>
      ) : (
        <SignInForm session={session} submit={texts.signIn} onSignedIn={() => void accept()} />
      )}
      <p class="door__more">
        {isNew ? texts.haveAccount : texts.noAccount}{' '}
        <button
          type="button"
          class="link"
          onClick={() => {
            action.reset()
            setNew(!isNew)
          }}
        >
          {isNew ? texts.signInTitle : texts.createInstead}
        </button>
      </p>
    </>
  )
}

/** Why the invite was not accepted. */
const Refused = ({ action: { error } }: { readonly action: Action }) => {
  const texts = useInviteTexts()
  if (error === undefined) return null
  const code = error instanceof ApiError ? error.code : undefined
  if (code === 'resource_not_found') return <NotValid />
  if (code === 'state_conflict')
    return (
      <NoteBox tone="bad" alert title={texts.refused}>
        {texts.refusedWhat}
      </NoteBox>
    )
  return <ErrorNote failure={shownFailure(error)} />
}

const NotValid = () => {
  const texts = useInviteTexts()
  return (
    <NoteBox tone="bad" alert title={texts.notValid}>
      {texts.notValidWhat}
    </NoteBox>
  )
}
