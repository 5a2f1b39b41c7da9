import type { ComponentChildren, ComponentType } from 'preact'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { ErrorBoundary, LocationProvider, lazy, Route, Router, useLocation, useRoute } from 'preact-iso'
import type { Account } from '../api/calls.ts'
import { useForgottenRecords } from '../api/query.ts'
import type { Session } from '../api/session.ts'
import { Empty } from '../parts/empty.tsx'
import { pageReaderOf, ReaderContext } from '../parts/reader.ts'
import { Toasts } from '../parts/toast.tsx'
import { dashboardTextsOf } from '../text/dashboard/texts.ts'
import { SignInPage, type SignUp, SignUpPage } from './account/door.tsx'
import { Gate } from './account/gate.tsx'
import { type SessionProps, Starting } from './account/starting.tsx'
import { PaymentsPage } from './payments/payments-page.tsx'
import { FindRefund } from './refunds/find-refund.tsx'
import { LiveContext, useLiveFeed } from './shell/live.ts'
import { MembershipNote, useMembershipChange } from './shell/membership.tsx'
import { PageHead } from './shell/page-head.tsx'
import type { Preferences } from './shell/preferences.ts'
import { addressIn, ShopContext, useAddress, useShop } from './shell/shop.ts'
import { TextsContext, useTexts } from './shell/texts.ts'
import { Shell } from './shell.tsx'

/** Every record has a page of its own: nothing that was opened or typed for one stays for the next. */
const recordPage = (Page: ComponentType) => () => <Page key={useRoute().params.id} />

const HomePage = lazy(async () => (await import('./home/home-page.tsx')).HomePage)
const PaymentPage = recordPage(lazy(async () => (await import('./payments/payment-page.tsx')).PaymentPage))
const LinksPage = lazy(async () => (await import('./links/links-page.tsx')).LinksPage)
const LinkPage = recordPage(lazy(async () => (await import('./links/link-page.tsx')).LinkPage))
const NewLinkPage = lazy(async () => (await import('./links/new-link-page.tsx')).NewLinkPage)
const KeysPage = lazy(async () => (await import('./keys/keys-page.tsx')).KeysPage)
const AccountPage = lazy(async () => (await import('./account/account-page.tsx')).AccountPage)
const AuditLogPage = lazy(async () => (await import('./audit-log/audit-log-page.tsx')).AuditLogPage)
const SettingsPage = lazy(async () => (await import('./settings/settings-page.tsx')).SettingsPage)
const MembersPage = lazy(async () => (await import('./members/members-page.tsx')).MembersPage)
const InvitePage = lazy(async () => (await import('./invite/invite-page.tsx')).InvitePage)
const RefundsPage = lazy(async () => (await import('./refunds/refunds-page.tsx')).RefundsPage)
const RefundPage = recordPage(lazy(async () => (await import('./refunds/refund-page.tsx')).RefundPage))
const DisputesPage = lazy(async () => (await import('./disputes/disputes-page.tsx')).DisputesPage)
const DisputePage = recordPage(lazy(async () => (await import('./disputes/dispute-page.tsx')).DisputePage))
const CustomersPage = lazy(async () => (await import('./customers/customers-page.tsx')).CustomersPage)
const NewCustomerPage = lazy(async () => (await import('./customers/new-customer-page.tsx')).NewCustomerPage)
const CustomerPage = recordPage(lazy(async () => (await import('./customers/customer-page.tsx')).CustomerPage))
const EditCustomerPage = recordPage(
  lazy(async () => (await import('./customers/edit-customer-page.tsx')).EditCustomerPage),
)
const InvoicesPage = lazy(async () => (await import('./invoices/invoices-page.tsx')).InvoicesPage)
const NewInvoicePage = lazy(async () => (await import('./invoices/new-invoice-page.tsx')).NewInvoicePage)
const InvoicePage = recordPage(lazy(async () => (await import('./invoices/invoice-page.tsx')).InvoicePage))
const EditInvoicePage = recordPage(lazy(async () => (await import('./invoices/edit-invoice-page.tsx')).EditInvoicePage))
const CreditNotePage = recordPage(lazy(async () => (await import('./invoices/credit-note-page.tsx')).CreditNotePage))
const PlansPage = lazy(async () => (await import('./plans/plans-page.tsx')).PlansPage)
const NewPlanPage = lazy(async () => (await import('./plans/new-plan-page.tsx')).NewPlanPage)
const PlanPage = recordPage(lazy(async () => (await import('./plans/plan-page.tsx')).PlanPage))
const SubscriptionsPage = lazy(async () => (await import('./subscriptions/subscriptions-page.tsx')).SubscriptionsPage)
const NewSubscriptionPage = lazy(
  async () => (await import('./subscriptions/new-subscription-page.tsx')).NewSubscriptionPage,
)
const SubscriptionPage = recordPage(
  lazy(async () => (await import('./subscriptions/subscription-page.tsx')).SubscriptionPage),
)
const AnalyticsPage = lazy(async () => (await import('./analytics/analytics-page.tsx')).AnalyticsPage)
const BalancesPage = lazy(async () => (await import('./balances/balances-page.tsx')).BalancesPage)
const EndpointPage = recordPage(lazy(async () => (await import('./webhooks/endpoint-page.tsx')).EndpointPage))
const DeliveriesPage = lazy(async () => (await import('./deliveries/deliveries-page.tsx')).DeliveriesPage)
const DeliveryPage = recordPage(lazy(async () => (await import('./deliveries/delivery-page.tsx')).DeliveryPage))
const EventsPage = lazy(async () => (await import('./events/events-page.tsx')).EventsPage)
const EventPage = recordPage(lazy(async () => (await import('./events/event-page.tsx')).EventPage))
const WebhooksPage = lazy(async () => (await import('./webhooks/webhooks-page.tsx')).WebhooksPage)

type AppProps = { readonly session: Session; readonly preferences: Preferences; readonly signUp: SignUp }

export const App = ({ session, preferences, signUp }: AppProps) => {
  const locale = preferences.locale.value
  const reader = useMemo(() => pageReaderOf(locale), [locale])
  return (
    <ReaderContext.Provider value={reader}>
      <TextsContext.Provider value={dashboardTextsOf(locale)}>
        <LocationProvider scope="/dashboard">
          <Screen session={session} preferences={preferences} signUp={signUp} />
        </LocationProvider>
        <Toasts />
      </TextsContext.Provider>
    </ReaderContext.Provider>
  )
}

/** Which of them is seen depends on the session. A page stays under the dialog that asks for a new sign-in. */
const Screen = ({ session, preferences, signUp }: AppProps) => {
  const { path, route } = useLocation()
  const state = session.state.value
  const last = useRef<Account>(undefined)
  if (state.phase === 'signed_in') last.current = state.account
  const isWaiting = session.gate.value?.kind === 'sign_in'
  const account = state.phase === 'signed_in' || isWaiting ? last.current : undefined
  const isDoor = path === '/dashboard/sign-up' || path === '/dashboard/sign-in'
  useForgottenRecords(account?.user.id)

  useEffect(() => {
    if (state.phase !== 'unknown') preferences.setHadSession(state.phase === 'signed_in')
    if (state.phase === 'signed_in' && isDoor) route('/dashboard', true)
  }, [state.phase, isDoor])

  if (state.phase === 'unknown') return <Starting session={session} preferences={preferences} />
  if (path === '/dashboard/invite')
    return (
      <ErrorBoundary>
        <InvitePage session={session} preferences={preferences} />
      </ErrorBoundary>
    )
  if (account && !isDoor) return <ShopScreen session={session} preferences={preferences} account={account} />
  const Door = path === '/dashboard/sign-up' ? SignUpPage : SignInPage
  return <Door session={session} preferences={preferences} signUp={signUp} />
}

type ShopScreenProps = SessionProps & { readonly account: Account }

/** The shop and the mode are in the address. Without them it leads to those of the last visit. */
const ShopScreen = ({ session, preferences, account }: ShopScreenProps) => {
  const texts = useTexts()
  const { path, route } = useLocation()
  const [, , id, mode, section] = path.split('/')
  const merchant = account.merchants.find(each => each.id === id)
  const isComplete = merchant !== undefined && (mode === 'test' || mode === 'live')
  const livemode = mode === 'live'
  const change = useMembershipChange(account)
  // A refund without a shop: where links from outside lead.
  const refund = id === 'refunds' ? mode : undefined
  const isFound = (isComplete && section !== undefined) || refund !== undefined
  const target = isFound ? undefined : entryOf(account, preferences, id, mode)

  useEffect(() => {
    if (target !== undefined) route(target, true)
    else if (isComplete) preferences.setLastShop(`${merchant.id}/${mode}`)
  }, [target, merchant?.id, mode])

  const shop = useMemo(
    () => (isComplete ? { session, account, merchant, livemode } : undefined),
    [session, account, merchant, livemode, isComplete],
  )
  if (account.merchants.length === 0)
    return (
      <main class="starting">
        <PageHead title={texts.start.title} />
        <MembershipNote change={change} />
        <Empty
          title={texts.start.noShop}
          action={
            <button type="button" class="button" onClick={() => session.signOut().catch(() => {})}>
              {texts.account.signOut}
            </button>
          }
        >
          {texts.start.noShopWhat}
        </Empty>
      </main>
    )
  if (refund !== undefined)
    return (
      <>
        <FindRefund session={session} account={account} id={refund} />
        <Gate session={session} account={account} />
      </>
    )
  if (!shop || section === undefined) return null
  // Records of another shop or mode are other records, and another role sees others: nothing of a page may stay.
  return (
    <ShopContext.Provider value={shop}>
      <ShopPages
        key={`${shop.merchant.id} ${livemode} ${shop.merchant.role}`}
        preferences={preferences}
        note={<MembershipNote change={change} />}
      />
      <Gate session={session} account={account} />
    </ShopContext.Provider>
  )
}

type ShopPagesProps = { readonly preferences: Preferences; readonly note: ComponentChildren }

const ShopPages = ({ preferences, note }: ShopPagesProps) => (
  <LiveContext.Provider value={useLiveFeed(useShop())}>
    <Shell preferences={preferences}>
      {note}
      <Router>
        <Route path="/dashboard/:merchant/:mode/home" component={HomePage} />
        <Route path="/dashboard/:merchant/:mode/payments" component={PaymentsPage} />
        <Route path="/dashboard/:merchant/:mode/payments/:id" component={PaymentPage} />
        <Route path="/dashboard/:merchant/:mode/links" component={LinksPage} />
        <Route path="/dashboard/:merchant/:mode/links/new" component={NewLinkPage} />
        <Route path="/dashboard/:merchant/:mode/links/:id" component={LinkPage} />
        <Route path="/dashboard/:merchant/:mode/refunds" component={RefundsPage} />
        <Route path="/dashboard/:merchant/:mode/refunds/:id" component={RefundPage} />
        <Route path="/dashboard/:merchant/:mode/disputes" component={DisputesPage} />
        <Route path="/dashboard/:merchant/:mode/disputes/:id" component={DisputePage} />
        <Route path="/dashboard/:merchant/:mode/customers" component={CustomersPage} />
        <Route path="/dashboard/:merchant/:mode/customers/new" component={NewCustomerPage} />
        <Route path="/dashboard/:merchant/:mode/customers/:id" component={CustomerPage} />
        <Route path="/dashboard/:merchant/:mode/customers/:id/edit" component={EditCustomerPage} />
        <Route path="/dashboard/:merchant/:mode/invoices" component={InvoicesPage} />
        <Route path="/dashboard/:merchant/:mode/invoices/new" component={NewInvoicePage} />
        <Route path="/dashboard/:merchant/:mode/invoices/:id" component={InvoicePage} />
        <Route path="/dashboard/:merchant/:mode/invoices/:id/edit" component={EditInvoicePage} />
        <Route path="/dashboard/:merchant/:mode/credit-notes/:id" component={CreditNotePage} />
        <Route path="/dashboard/:merchant/:mode/plans" component={PlansPage} />
        <Route path="/dashboard/:merchant/:mode/plans/new" component={NewPlanPage} />
        <Route path="/dashboard/:merchant/:mode/plans/:id" component={PlanPage} />
        <Route path="/dashboard/:merchant/:mode/subscriptions" component={SubscriptionsPage} />
        <Route path="/dashboard/:merchant/:mode/subscriptions/new" component={NewSubscriptionPage} />
        <Route path="/dashboard/:merchant/:mode/subscriptions/:id" component={SubscriptionPage} />
        <Route path="/dashboard/:merchant/:mode/analytics" component={AnalyticsPage} />
        <Route path="/dashboard/:merchant/:mode/balances" component={BalancesPage} />
        <Route path="/dashboard/:merchant/:mode/keys" component={KeysPage} />
        <Route path="/dashboard/:merchant/:mode/account" component={AccountPage} preferences={preferences} />
        <Route path="/dashboard/:merchant/:mode/settings" component={SettingsPage} />
        <Route path="/dashboard/:merchant/:mode/audit-log" component={AuditLogPage} />
        <Route path="/dashboard/:merchant/:mode/members" component={MembersPage} />
        <Route path="/dashboard/:merchant/:mode/webhooks" component={WebhooksPage} />
        <Route path="/dashboard/:merchant/:mode/webhooks/:id" component={EndpointPage} />
        <Route path="/dashboard/:merchant/:mode/deliveries" component={DeliveriesPage} />
        <Route path="/dashboard/:merchant/:mode/deliveries/:id" component={DeliveryPage} />
        <Route path="/dashboard/:merchant/:mode/events" component={EventsPage} />
        <Route path="/dashboard/:merchant/:mode/events/:id" component={EventPage} />
        <Route default component={NothingHere} />
      </Router>
    </Shell>
  </LiveContext.Provider>
)

/** The page that an address without a page leads to; undefined if the account has no shop. */
const entryOf = (
  { merchants }: Account,
  preferences: Preferences,
  id: string | undefined,
  mode: string | undefined,
): string | undefined => {
  const [lastId, lastMode] = preferences.lastShop()?.split('/') ?? []
  const merchant = merchants.find(each => each.id === id) ?? merchants.find(each => each.id === lastId) ?? merchants[0]
  const section = id === 'refunds' ? 'refunds' : 'home'
  return merchant && addressIn({ merchantId: merchant.id, livemode: (mode ?? lastMode) === 'live' }, section)
}

const NothingHere = () => {
  const { notFound } = useTexts()
  const address = useAddress()
  return (
    <>
      <PageHead title={notFound.title} />
      <p>
        {notFound.what} <a href={address('home')}>{notFound.back}</a>
      </p>
    </>
  )
}
