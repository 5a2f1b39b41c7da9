import { useEffect, useMemo, useRef } from 'preact/hooks'
import { LocationProvider, lazy, Route, Router, useRoute } from 'preact-iso'
import type { Account } from '../api/calls.ts'
import { useForgottenRecords } from '../api/query.ts'
import { DoorFrame } from '../dashboard/account/door.tsx'
import { Gate } from '../dashboard/account/gate.tsx'
import { SignInForm } from '../dashboard/account/sign-in-form.tsx'
import { type SessionProps, Starting } from '../dashboard/account/starting.tsx'
import { PageHead } from '../dashboard/shell/page-head.tsx'
import { TextsContext } from '../dashboard/shell/texts.ts'
import { CodeBlock } from '../parts/code.tsx'
import { pageReaderOf, ReaderContext } from '../parts/reader.ts'
import { Toasts } from '../parts/toast.tsx'
import { dashboardTextsOf } from '../text/dashboard/texts.ts'
import { HealthPage } from './health/health-page.tsx'
import { OpsContext } from './shell/ops.ts'
import { OpsShell } from './shell/ops-shell.tsx'
import { useOpsTexts } from './shell/texts.ts'

const MachinesPage = lazy(async () => (await import('./machines/machines-page.tsx')).MachinesPage)
const ActorPage = lazy(async () => (await import('./actors/actor-page.tsx')).ActorPage)
const SearchPage = lazy(async () => (await import('./actors/search-page.tsx')).SearchPage)
const StuckPage = lazy(async () => (await import('./actors/stuck-page.tsx')).StuckPage)
const TailPage = lazy(async () => (await import('./tail/tail-page.tsx')).TailPage)
const ChainsPage = lazy(async () => (await import('./engine/chains-page.tsx')).ChainsPage)
const QueuesPage = lazy(async () => (await import('./engine/queues-page.tsx')).QueuesPage)
const WorkersPage = lazy(async () => (await import('./engine/workers-page.tsx')).WorkersPage)
const AuditPage = lazy(async () => (await import('./engine/audit-page.tsx')).AuditPage)
const AuditsPage = lazy(async () => (await import('./engine/audits-page.tsx')).AuditsPage)

export const OpsApp = ({ session, preferences }: SessionProps) => {
  const locale = preferences.locale.value
  const reader = useMemo(() => pageReaderOf(locale), [locale])
  return (
    <ReaderContext.Provider value={reader}>
      <TextsContext.Provider value={dashboardTextsOf(locale)}>
        <LocationProvider scope="/ops">
          <Screen session={session} preferences={preferences} />
        </LocationProvider>
        <Toasts />
      </TextsContext.Provider>
    </ReaderContext.Provider>
  )
}

/** Which of them is seen depends on the session. A page stays under the dialog that asks for a new sign-in. */
const Screen = ({ session, preferences }: SessionProps) => {
  const state = session.state.value
  const last = useRef<Account>(undefined)
  if (state.phase === 'signed_in') last.current = state.account
  const isWaiting = session.gate.value?.kind === 'sign_in'
  const account = state.phase === 'signed_in' || isWaiting ? last.current : undefined
  useForgottenRecords(account?.user.id)

  useEffect(() => {
    if (state.phase !== 'unknown') preferences.setHadSession(state.phase === 'signed_in')
  }, [state.phase])

  if (state.phase === 'unknown') return <Starting session={session} preferences={preferences} />
  if (!account) return <SignIn session={session} preferences={preferences} />
  if (!account.user.operator) return <Denied preferences={preferences} account={account} />
  return (
    <OpsContext.Provider value={{ session, account }}>
      <OpsShell preferences={preferences}>
        <Router>
          <Route path="/ops" component={HealthPage} />
          <Route path="/ops/machines" component={MachinesPage} />
          <Route path="/ops/machines/:kind" component={MachinesPage} />
          <Route path="/ops/actors/:id" component={OneActor} />
          <Route path="/ops/search" component={SearchPage} />
          <Route path="/ops/stuck" component={StuckPage} />
          <Route path="/ops/tail" component={TailPage} />
          <Route path="/ops/chains" component={ChainsPage} />
          <Route path="/ops/queues" component={QueuesPage} />
          <Route path="/ops/workers" component={WorkersPage} />
          <Route path="/ops/audits" component={AuditsPage} />
          <Route path="/ops/audits/:id" component={AuditPage} />
          <Route default component={NothingHere} />
        </Router>
      </OpsShell>
      <Gate session={session} account={account} />
    </OpsContext.Provider>
  )
}

/** Nothing that was read for one actor stays for the next. */
const OneActor = () => <ActorPage key={useRoute().params.id} />

const SignIn = ({ session, preferences }: SessionProps) => {
  const texts = useOpsTexts()
  return (
    <DoorFrame preferences={preferences}>
      <PageHead title={texts.signIn} lead={texts.signInWhat(location.host)} />
      <SignInForm session={session} onSignedIn={() => {}} />
    </DoorFrame>
  )
}

const Denied = ({ preferences, account }: Pick<SessionProps, 'preferences'> & { readonly account: Account }) => {
  const { denied, nav } = useOpsTexts()
  return (
    <DoorFrame preferences={preferences}>
      <PageHead title={denied.title} lead={denied.what} />
      <CodeBlock text={`bun run admin operator add ${account.user.email}`} label={denied.title} />
      <p class="door__more">
        <a href="/dashboard">{nav.back}</a>
      </p>
    </DoorFrame>
  )
}

const NothingHere = () => {
  const { notFound, nav } = useOpsTexts()
  return (
    <>
      <PageHead title={notFound.title} />
      <p>
        {notFound.what} <a href="/ops">{nav.health}</a>
      </p>
    </>
  )
}
