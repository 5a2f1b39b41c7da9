import type { Page } from 'playwright-core'
import { dashboardPage } from '../../../src/pages/dashboard.ts'
import { qrCode } from '../../../src/pages/qr.ts'
import type { SignUpState } from '../../../src/pages/sign-up-state.ts'
import type { Account } from '../../../src/web/api/calls.ts'
import { type PictureView, type SampleData, sampleFailure, sampleList, takePictures } from '../harness/pictures.ts'
import { samplePayments, sampleSeries, sampleSummary } from './figure-samples.ts'
import { creditNotes, invoiceHistory, paymentsOfInvoice, shownInvoices } from './invoice-samples.ts'
import {
  account,
  balances,
  billingSettings,
  chains,
  collection,
  creditEntries,
  customers,
  deliveries,
  disputeHistory,
  disputes,
  endpoints,
  events,
  history,
  inbox,
  inboxRequests,
  invitePreview,
  invites,
  invoices,
  keys,
  largeDraft,
  links,
  members,
  merchantId,
  mfaSetup,
  networks,
  newInvite,
  options,
  payments,
  recoveryCodes,
  refundHistory,
  refunds,
  securityEvents,
  sessions,
  settings,
} from './samples.ts'
import { clock, invoicePreview, invoicesOfSubscription, plans, subscriptions } from './subscription-samples.ts'

/**
 * Writes pictures of the pages of the dashboard in both widths, themes and languages, with full, empty, loading and failed
 * data. Records are samples: what the pages do with a server is in the tests.
 * `bun run screens:dashboard payment 360 dark` writes those whose name contains all of these words.
 */
type View = PictureView & {
  readonly path: string
  readonly mode?: 'test' | 'live'
  readonly signedOut?: SignUpState
  readonly role?: 'viewer'
  readonly mfa?: boolean
  readonly clock?: 'advancing'
  /** Of the chart of a customer. `many`: more payments than are read. */
  readonly months?: Exclude<SampleData, 'full'> | 'many'
  /** The shop has not set where money goes. */
  readonly noAddress?: true
}

const idOf = (name: string): string => payments[name]?.id ?? ''
const views: Readonly<Record<string, View>> = {
  'sign-in': { path: '', signedOut: 'done' },
  'sign-in-wrong': { path: '', signedOut: 'done', act: page => signIn(page, 'invalid_credentials') },
  'sign-in-code': { path: '', signedOut: 'done', act: page => signIn(page, 'mfa_required') },
  'sign-up': { path: 'sign-up', signedOut: 'with_code' },
  'sign-up-errors': { path: 'sign-up', signedOut: 'open', act: page => page.locator('button[type=submit]').click() },
  'sign-up-closed': { path: 'sign-up', signedOut: 'done' },
  home: { path: 'home' },
  'home-test': { path: 'home', mode: 'test' },
  'home-empty': { path: 'home', data: 'empty', mode: 'test' },
  'home-viewer': { path: 'home', role: 'viewer' },
  'home-loading': { path: 'home', data: 'loading' },
  'home-failed': { path: 'home', data: 'failed' },
  'home-compared': { path: 'home?range=90d&compare=true&currency=USD' },
  'home-table': { path: 'home?range=7d&compare=true&tables=money-in' },
  'home-months': { path: 'home?range=12m', act: page => page.locator('.chart__plot').first().hover() },
  'home-own-days': { path: 'home?range=custom&from=2026-11-01&to=2026-11-20' },
  'home-quiet': { path: 'home', role: 'viewer', data: 'empty' },
  analytics: { path: 'analytics' },
  'analytics-compared': {
    path: 'analytics?range=90d&bucket=day&compare=true&by=link',
    act: page => page.locator('.chart__plot').first().focus(),
  },
  'analytics-tables': {
    path: 'analytics?range=7d&compare=true&by=chain&tables=money-in+funnel+conversion+time-to-seen+time-to-final+by',
  },
  'analytics-months': { path: 'analytics?range=12m&compare=true&currency=USD' },
  'analytics-limit': { path: 'analytics?range=90d&bucket=hour' },
  'analytics-other-zone': { path: 'analytics?range=90d&timeZone=Asia%2FTokyo' },
  'analytics-viewer': { path: 'analytics', role: 'viewer' },
  'analytics-empty': { path: 'analytics', data: 'empty', mode: 'test' },
  'analytics-loading': { path: 'analytics', data: 'loading' },
  'analytics-failed': { path: 'analytics', data: 'failed' },
  payments: { path: 'payments' },
  'payment-sandbox': { path: `payments/${idOf('waiting')}`, mode: 'test' },
  'payments-test': { path: 'payments', mode: 'test' },
  'payments-viewer': { path: 'payments', role: 'viewer' },
  'payments-filtered': { path: 'payments?status=success&attention=true&q=LL-20428' },
  'export-dialog': { path: 'payments?status=success', act: openExport },
  'export-invoices': { path: 'invoices', act: openExport },
  'export-errors': { path: 'payments', act: failExport(400) },
  'export-busy': { path: 'customers', act: failExport(429) },
  'payments-empty': { path: 'payments', data: 'empty', mode: 'test' },
  'payments-nothing': { path: 'payments?status=failed', data: 'empty' },
  'payments-loading': { path: 'payments', data: 'loading' },
  'payments-failed': { path: 'payments', data: 'failed' },
  'payments-offline': { path: 'payments', act: goOffline },
  ...Object.fromEntries(
    ['waiting', 'confirming', 'underpaid', 'paid', 'overpaid', 'late', 'failed', 'long'].map(name => [
      `payment-${name}`,
      { path: `payments/${idOf(name)}` },
    ]),
  ),
  'payment-json': { path: `payments/${idOf('paid')}`, act: page => page.locator('summary').click() },
  'payment-cancel': { path: `payments/${idOf('waiting')}`, act: page => page.locator('.button--danger').click() },
  'payment-loading': { path: `payments/${idOf('paid')}`, data: 'loading' },
  'payment-failed-to-load': { path: `payments/${idOf('paid')}`, data: 'failed' },
  links: { path: 'links' },
  more: {
    path: 'payments',
    act: page =>
      page
        .locator('.bottom__more')
        .click({ timeout: 1_000 })
        .catch(() => {}),
  },
  'links-empty': { path: 'links', data: 'empty', mode: 'test' },
  'links-no-address': { path: 'links', noAddress: true },
  'link-no-address': { path: `links/${links[0]?.id}`, noAddress: true },
  'link-new-no-address': { path: 'links/new', noAddress: true },
  'link-off': { path: `links/${links[3]?.id}` },
  'link-new': { path: 'links/new', mode: 'test', act: fillLink },
  'link-new-errors': { path: 'links/new', act: page => page.locator('button[type=submit]').click() },
  link: { path: `links/${links[0]?.id}` },
  'link-table': { path: `links/${links[0]?.id}?tables=money-in-of-link` },
  'link-unpaid': { path: `links/${links[0]?.id}`, data: 'empty' },
  'link-viewer': { path: `links/${links[0]?.id}`, role: 'viewer' },
  'link-loading': { path: `links/${links[0]?.id}`, data: 'loading' },
  'link-failed': { path: `links/${links[0]?.id}`, data: 'failed' },
  refunds: { path: 'refunds' },
  'refunds-filtered': { path: 'refunds?status=failed&q=re_06' },
  'refunds-empty': { path: 'refunds', data: 'empty', mode: 'test' },
  'refunds-loading': { path: 'refunds', data: 'loading' },
  'refunds-failed': { path: 'refunds', data: 'failed' },
  'refunds-viewer': { path: 'refunds', role: 'viewer' },
  ...Object.fromEntries(Object.entries(refunds).map(([name, { id }]) => [`refund-${name}`, { path: `refunds/${id}` }])),
  'refund-start': {
    path: `payments/${idOf('paid')}`,
    act: page =>
      page
        .locator('.head .button', { has: page.locator('.icon') })
        .last()
        .click(),
  },
  disputes: { path: 'disputes', mode: 'test' },
  'disputes-live': { path: 'disputes' },
  'disputes-empty': { path: 'disputes', mode: 'test', data: 'empty' },
  'disputes-loading': { path: 'disputes', mode: 'test', data: 'loading' },
  'disputes-failed': { path: 'disputes', mode: 'test', data: 'failed' },
  ...Object.fromEntries(
    disputes.map(({ id, status }) => [`dispute-${status}`, { path: `disputes/${id}`, mode: 'test' as const }]),
  ),
  'dispute-open': {
    ...{ path: `payments/${idOf('paid')}`, mode: 'test' },
    act: page => page.locator('.head .button:not(:has(.icon))').first().click(),
  },
  customers: { path: 'customers' },
  'customers-viewer': { path: 'customers', role: 'viewer' },
  'customers-filtered': { path: 'customers?by=reference&q=account+7' },
  'customers-empty': { path: 'customers', data: 'empty', mode: 'test' },
  'customers-nothing': { path: 'customers?q=xyz', data: 'empty' },
  'customers-loading': { path: 'customers', data: 'loading' },
  'customers-failed': { path: 'customers', data: 'failed' },
  customer: { path: `customers/${customers[0]?.id}` },
  'customer-months-none': { path: `customers/${customers[0]?.id}`, months: 'empty' },
  'customer-months-many': { path: `customers/${customers[0]?.id}`, months: 'many' },
  'customer-months-loading': { path: `customers/${customers[0]?.id}`, months: 'loading' },
  'customer-months-failed': { path: `customers/${customers[0]?.id}`, months: 'failed', act: waitForFailure },
  'customer-months-table': { path: `customers/${customers[0]?.id}?tables=money-in-of-customer` },
  'customer-bare': { path: `customers/${customers[2]?.id}`, data: 'empty' },
  'customer-long': { path: `customers/${customers[3]?.id}` },
  'customer-merged': { path: `customers/${customers[4]?.id}`, data: 'empty' },
  'customer-viewer': { path: `customers/${customers[0]?.id}`, role: 'viewer' },
  'customer-loading': { path: `customers/${customers[0]?.id}`, data: 'loading' },
  'customer-failed': { path: `customers/${customers[0]?.id}`, data: 'failed' },
  'customer-new': { path: 'customers/new' },
  'customer-new-errors': { path: 'customers/new', act: fillCustomer },
  'customer-edit': { path: `customers/${customers[0]?.id}/edit` },
  'customer-credit': { path: `customers/${customers[0]?.id}`, act: page => takeCredit(page, '5') },
  'customer-credit-errors': { path: `customers/${customers[0]?.id}`, act: page => takeCredit(page, '20') },
  'customer-merge': { path: `customers/${customers[1]?.id}`, act: chooseSurvivor },
  'customer-erase': { path: `customers/${customers[2]?.id}`, data: 'empty', act: page => eraseCustomer(page) },
  'customer-erase-blocked': { path: `customers/${customers[0]?.id}`, act: page => eraseCustomer(page) },
  invoices: { path: 'invoices' },
  'invoices-viewer': { path: 'invoices', role: 'viewer' },
  'invoices-filtered': { path: `invoices?status=open&overdue=true&dueBefore=2026-12-01&customer=${customers[0]?.id}` },
  'invoices-empty': { path: 'invoices', data: 'empty', mode: 'test' },
  'invoices-nothing': { path: 'invoices?q=INV-1', data: 'empty' },
  'invoices-loading': { path: 'invoices', data: 'loading' },
  'invoices-failed': { path: 'invoices', data: 'failed' },
  'invoice-new': { path: 'invoices/new', mode: 'test' },
  'invoice-new-filled': { path: `invoices/new?customer=${customers[0]?.id}`, mode: 'test', act: fillInvoice },
  'invoice-new-errors': { path: 'invoices/new', act: breakInvoice },
  'invoice-new-first': { path: 'invoices/new', data: 'empty', act: typeAddress },
  'invoice-new-viewer': { path: 'invoices/new', role: 'viewer' },
  'invoice-new-loading': { path: 'invoices/new', data: 'loading' },
  'invoice-new-failed': { path: 'invoices/new', data: 'failed' },
  'invoice-new-leave': { path: 'invoices/new', act: leaveInvoice },
  'invoice-edit': { path: `invoices/${invoices.draft.id}/edit` },
  'invoice-edit-large': { path: `invoices/${largeDraft.id}/edit` },
  'invoice-edit-preview': { path: `invoices/${largeDraft.id}/edit`, act: showPreview },
  'invoice-edit-more': { path: `invoices/${largeDraft.id}/edit`, act: openMore },
  'invoice-edit-changed': { path: `invoices/${invoices.draft.id}/edit`, act: changeElsewhere },
  'invoice-edit-final': { path: `invoices/${invoices.open.id}/edit` },
  'invoice-finalize': { path: `invoices/${invoices.draft.id}/edit`, act: askToFinalize },
  'invoice-incomplete': { path: `invoices/${invoices.draft.id}/edit`, data: 'empty', act: askToFinalize },
  ...Object.fromEntries(
    Object.entries(shownInvoices).map(([name, { id }]) => [`invoice-${name}`, { path: `invoices/${id}` }]),
  ),
  'invoice-draft-incomplete': { path: `invoices/${shownInvoices.draft?.id}`, data: 'empty' },
  'invoice-viewer': { path: `invoices/${shownInvoices.partly?.id}`, role: 'viewer' },
  'invoice-test': { path: `invoices/${shownInvoices.open?.id}`, mode: 'test' },
  'invoice-loading': { path: `invoices/${shownInvoices.open?.id}`, data: 'loading' },
  'invoice-failed': { path: `invoices/${shownInvoices.open?.id}`, data: 'failed' },
  'invoice-menu': {
    path: `invoices/${shownInvoices.open?.id}`,
    act: page => page.locator('.head [aria-haspopup=menu]').click(),
  },
  'invoice-draft-finalize': {
    path: `invoices/${shownInvoices.draft?.id}`,
    act: page => page.locator('.head .button--primary').click(),
  },
  'invoice-credit-note': { path: `invoices/${shownInvoices.open?.id}`, act: page => chooseInMenu(page, 0) },
  'invoice-credit-note-lines': {
    path: `invoices/${shownInvoices.open?.id}`,
    act: async page => {
      await chooseInMenu(page, 0)
      await page.locator('dialog[open] [name=scope]').nth(1).check()
      await page.locator('dialog[open] .pair input').first().fill('99')
    },
  },
  'invoice-credit-note-refund': {
    path: `invoices/${shownInvoices.paid?.id}`,
    act: async page => {
      await chooseInMenu(page, 0)
      await page.locator('dialog[open] [name=scope]').first().check()
      await page.locator('dialog[open] [name=way]').nth(1).check()
    },
  },
  'invoice-void-dialog': { path: `invoices/${shownInvoices.open?.id}`, act: page => chooseInMenu(page, 4) },
  'credit-note': { path: `credit-notes/${creditNotes[0]?.id}` },
  'credit-note-void': { path: `credit-notes/${creditNotes[1]?.id}` },
  'credit-note-loading': { path: `credit-notes/${creditNotes[0]?.id}`, data: 'loading' },
  'credit-note-failed': { path: `credit-notes/${creditNotes[0]?.id}`, data: 'failed' },
  'invoice-remind': { path: `invoices/${shownInvoices.overdue?.id}`, act: remindTooSoon },
  plans: { path: 'plans' },
  'plans-viewer': { path: 'plans', role: 'viewer' },
  'plans-empty': { path: 'plans', data: 'empty', mode: 'test' },
  'plans-nothing': { path: 'plans?status=archived', data: 'empty' },
  'plans-loading': { path: 'plans', data: 'loading' },
  'plans-failed': { path: 'plans', data: 'failed' },
  ...Object.fromEntries(Object.entries(plans).map(([name, { id }]) => [`plan-${name}`, { path: `plans/${id}` }])),
  'plan-viewer': { path: `plans/${plans.month.id}`, role: 'viewer' },
  'plan-loading': { path: `plans/${plans.month.id}`, data: 'loading' },
  'plan-failed': { path: `plans/${plans.month.id}`, data: 'failed' },
  'plan-archive': { path: `plans/${plans.month.id}`, act: page => page.locator('.head .button--danger').click() },
  'plan-edit': { path: `plans/${plans.month.id}`, act: page => page.locator('.head .button').nth(1).click() },
  'plan-new': { path: 'plans/new', mode: 'test' },
  'plan-new-filled': { path: 'plans/new', act: fillPlan },
  'plan-new-errors': { path: 'plans/new', act: breakPlan },
  'plan-new-viewer': { path: 'plans/new', role: 'viewer' },
  subscriptions: { path: 'subscriptions' },
  'subscriptions-viewer': { path: 'subscriptions', role: 'viewer' },
  'subscriptions-filtered': {
    path: `subscriptions?status=active&plan=${plans.month.id}&customer=${customers[0]?.id}`,
  },
  'subscriptions-empty': { path: 'subscriptions', data: 'empty', mode: 'test' },
  'subscriptions-nothing': { path: 'subscriptions?status=paused', data: 'empty' },
  'subscriptions-loading': { path: 'subscriptions', data: 'loading' },
  'subscriptions-failed': { path: 'subscriptions', data: 'failed' },
  ...Object.fromEntries(
    Object.entries(subscriptions).map(([name, { id }]) => [`subscription-${name}`, { path: `subscriptions/${id}` }]),
  ),
  'subscription-viewer': { path: `subscriptions/${subscriptions.active.id}`, role: 'viewer' },
  'subscription-loading': { path: `subscriptions/${subscriptions.active.id}`, data: 'loading' },
  'subscription-failed': { path: `subscriptions/${subscriptions.active.id}`, data: 'failed' },
  'subscription-test': { path: `subscriptions/${subscriptions.clock.id}`, mode: 'test' },
  'subscription-advancing': { path: `subscriptions/${subscriptions.clock.id}`, mode: 'test', clock: 'advancing' },
  'subscription-to-day': {
    ...{ path: `subscriptions/${subscriptions.clock.id}`, mode: 'test' },
    act: page => page.locator('.clock .button').last().click(),
  },
  'subscription-menu': {
    path: `subscriptions/${subscriptions.active.id}`,
    act: page => page.locator('.head [aria-haspopup=menu]').click(),
  },
  'subscription-change': { path: `subscriptions/${subscriptions.active.id}`, act: page => chooseInMenu(page, 0) },
  'subscription-change-own': {
    path: `subscriptions/${subscriptions.active.id}`,
    act: async page => {
      await chooseInMenu(page, 0)
      await page.locator('[name=changeBy]').nth(1).check()
    },
  },
  'subscription-pause': { path: `subscriptions/${subscriptions.active.id}`, act: page => chooseInMenu(page, 1) },
  'subscription-edit': { path: `subscriptions/${subscriptions.active.id}`, act: page => chooseInMenu(page, 2) },
  'subscription-cancel': { path: `subscriptions/${subscriptions.active.id}`, act: page => chooseInMenu(page, 3) },
  'subscription-resume': {
    path: `subscriptions/${subscriptions.paused.id}`,
    act: page => page.locator('.head .button--primary').click(),
  },
  'subscription-uncancel': {
    path: `subscriptions/${subscriptions.canceling.id}`,
    act: page => page.locator('.head .button--primary').click(),
  },
  'subscription-new': { path: 'subscriptions/new', mode: 'test' },
  'subscription-new-plan': { path: `subscriptions/new?customer=${customers[0]?.id}&plan=${plans.month.id}` },
  'subscription-new-own': {
    path: `subscriptions/new?customer=${customers[0]?.id}`,
    act: async page => {
      await page.locator('[name=priceBy]').nth(1).check()
      await page.locator('[name=start]').nth(2).check()
    },
  },
  'subscription-new-errors': {
    path: 'subscriptions/new',
    act: async page => {
      await page.locator('[name=start]').nth(2).check()
      await page.locator('button[type=submit]').click()
    },
  },
  'find-customer': { path: 'payments', act: page => find(page, 'lund') },
  balances: { path: 'balances' },
  'balances-empty': { path: 'balances', data: 'empty' },
  'balances-loading': { path: 'balances', data: 'loading' },
  'balances-failed': { path: 'balances', data: 'failed' },
  'balances-viewer': { path: 'balances', role: 'viewer' },
  'balances-collect': { path: 'balances', act: page => page.locator('td .button').first().click() },
  'refund-ways': { path: `refunds/${refunds.sign?.id}`, act: openWays },
  'refund-unsure': { path: `refunds/${refunds.sign?.id}`, act: page => leaveNote(page, null) },
  'refund-sent': { path: `refunds/${refunds.sign?.id}`, act: page => leaveNote(page, `0x${'3e'.repeat(32)}`) },
  'refund-accept': {
    path: `refunds/${refunds.unclear?.id}`,
    act: page => page.locator('.note .button').first().click(),
  },
  'refund-loading': { path: `refunds/${refunds.sign?.id}`, data: 'loading' },
  'refund-failed-to-load': { path: `refunds/${refunds.sign?.id}`, data: 'failed' },
  keys: { path: 'keys', mode: 'test' },
  'keys-empty': { path: 'keys', data: 'empty' },
  'keys-new': { path: 'keys', act: page => page.locator('.head .button--primary').click() },
  'keys-secret': { path: 'keys', act: createKey },
  'keys-menu': { path: 'keys', act: page => page.locator('td .icon-button').first().click() },
  webhooks: { path: 'webhooks' },
  'webhooks-empty': { path: 'webhooks', data: 'empty' },
  'webhooks-new-reminder': { path: 'webhooks?new=invoice.reminder' },
  'webhooks-new': { path: 'webhooks', mode: 'test', act: page => page.locator('.head .button--primary').click() },
  find: { path: 'payments', act: page => find(page, 'LL-2041') },
  'find-page': { path: 'keys', mode: 'test', act: page => find(page, 'key') },
  'find-nothing': { path: 'payments', data: 'empty', act: page => find(page, 'xyz-1') },
  'find-keys': { path: 'keys', act: page => page.locator('.finder-keys').dispatchEvent('click') },
  'webhooks-test-empty': { path: 'webhooks', data: 'empty', mode: 'test' },
  endpoint: { path: `webhooks/${endpoints[0]?.id}` },
  'endpoint-off': { path: `webhooks/${endpoints[2]?.id}` },
  'endpoint-viewer': { path: `webhooks/${endpoints[0]?.id}`, role: 'viewer' },
  'endpoint-inbox': {
    path: `webhooks/${inbox.id}`,
    mode: 'test',
    act: page => page.locator('.attempt summary').first().click(),
  },
  'endpoint-tested': { path: `webhooks/${endpoints[0]?.id}`, act: page => page.locator('.head .button').click() },
  'endpoint-types': { path: `webhooks/${endpoints[0]?.id}`, act: page => choose(page, 0) },
  'endpoint-rotate': { path: `webhooks/${endpoints[0]?.id}`, act: page => choose(page, 1) },
  'endpoint-recover': { path: `webhooks/${endpoints[0]?.id}`, act: page => choose(page, 2) },
  'endpoint-secret': { path: `webhooks/${endpoints[0]?.id}`, act: rotateSecret },
  'endpoint-loading': { path: `webhooks/${endpoints[0]?.id}`, data: 'loading' },
  'endpoint-failed': { path: `webhooks/${endpoints[0]?.id}`, data: 'failed' },
  deliveries: { path: 'deliveries' },
  'deliveries-empty': { path: 'deliveries', data: 'empty' },
  'deliveries-nothing': { path: 'deliveries?status=failed', data: 'empty' },
  'deliveries-failed': { path: 'deliveries', data: 'failed' },
  delivery: { path: `deliveries/${deliveries[0]?.id}` },
  'delivery-failed': { path: `deliveries/${deliveries[2]?.id}` },
  'delivery-loading': { path: `deliveries/${deliveries[0]?.id}`, data: 'loading' },
  events: { path: 'events' },
  'events-empty': { path: 'events', data: 'empty' },
  'events-loading': { path: 'events', data: 'loading' },
  'events-failed': { path: 'events', data: 'failed' },
  event: { path: `events/${events[0]?.id}`, act: page => page.locator('summary').last().click() },
  'session-over': { path: 'payments', act: endSession },
  'step-up': { path: 'keys', act: askForProof },
  settings: { path: 'settings' },
  'settings-viewer': { path: 'settings', role: 'viewer' },
  'settings-loading': { path: 'settings', data: 'loading' },
  'settings-failed': { path: 'settings', data: 'failed' },
  'settings-receiving': { path: 'settings?part=receiving' },
  'settings-receiving-empty': { path: 'settings?part=receiving', data: 'empty', mode: 'test' },
  'settings-receiving-viewer': { path: 'settings?part=receiving', role: 'viewer' },
  'settings-address': { path: 'settings?part=receiving', act: page => page.locator('td .button').first().click() },
  'settings-payments': { path: 'settings?part=payments' },
  'settings-payments-viewer': { path: 'settings?part=payments', role: 'viewer' },
  'settings-billing': { path: 'settings?part=billing' },
  'settings-billing-test': { path: 'settings?part=billing', mode: 'test', data: 'empty' },
  'settings-billing-errors': { path: 'settings?part=billing', act: breakBilling },
  'settings-billing-zone': { path: 'settings?part=billing', act: pickZone },
  'settings-billing-viewer': { path: 'settings?part=billing', role: 'viewer' },
  'settings-billing-loading': { path: 'settings?part=billing', data: 'loading' },
  'settings-billing-failed': { path: 'settings?part=billing', data: 'failed' },
  'audit-log': { path: 'audit-log' },
  'audit-log-filtered': { path: 'audit-log?action=settings.changed' },
  'audit-log-empty': { path: 'audit-log?action=settings.changed', data: 'empty' },
  'audit-log-loading': { path: 'audit-log', data: 'loading' },
  'audit-log-failed': { path: 'audit-log', data: 'failed' },
  'audit-log-viewer': { path: 'audit-log', role: 'viewer' },
  account: { path: 'account' },
  'account-mfa': { path: 'account', mfa: true },
  'account-loading': { path: 'account', data: 'loading' },
  'account-failed': { path: 'account', data: 'failed' },
  'account-set-up': { path: 'account', act: page => page.locator('.setting .button').first().click() },
  'account-codes': { path: 'account', act: turnOnMfa },
  'account-turn-off': { path: 'account', mfa: true, act: page => page.locator('.setting .button--danger').click() },
  'account-password': { path: 'account', act: page => page.locator('.setting .button').nth(1).click() },
  members: { path: 'members' },
  'members-viewer': { path: 'members', role: 'viewer' },
  'members-empty': { path: 'members', data: 'empty' },
  'members-loading': { path: 'members', data: 'loading' },
  'members-failed': { path: 'members', data: 'failed' },
  'members-role': { path: 'members', act: page => pickIn(page, 1, 0) },
  'members-remove': { path: 'members', act: page => pickIn(page, 1, 1) },
  'members-invite': { path: 'members', act: page => page.locator('.head .button--primary').click() },
  'members-invite-link': { path: 'members', act: inviteMember },
  'members-changed': {
    path: 'members',
    act: changeMerchants(all => all.map(each => ({ ...each, role: 'viewer' as const }))),
  },
  'members-removed': { path: 'members', act: changeMerchants(() => []) },
  invite: { path: 'invite#token', signedOut: 'done' },
  'invite-over': { path: 'invite#token', signedOut: 'done', act: openRevoked },
  'invite-refused': { path: 'invite#token', signedOut: 'done', act: acceptInvite },
  'invite-incomplete': { path: 'invite', signedOut: 'done' },
  nothing: { path: 'nothing' },
}

async function openExport(page: Page) {
  await page.locator('.head .buttons button').first().click()
  await page.locator('dialog:modal').waitFor()
}

/** 400: the range is wrong, and nothing is sent. */
function failExport(status: 400 | 429) {
  return async (page: Page) => {
    if (status === 429) await refuse(page, '**/exports?*', 429, 'rate_limited')
    await openExport(page)
    if (status === 400) await page.locator('dialog input[type=date]').first().fill('2020-01-01')
    await page.locator('dialog button[type=submit]').click()
    await page.locator(status === 400 ? 'dialog .error' : 'dialog [role=alert]').waitFor()
  }
}

async function signIn(page: Page, code: string) {
  await refuse(page, '**/v1/auth/sign-in', 401, code)
  await page.locator('input[type=email]').fill('anna.lang@lampsandlight.com')
  await page.locator('input[type=password]').fill('correct horse')
  await page.locator('button[type=submit]').click()
}

async function find(page: Page, text: string) {
  await page.locator('.finder').waitFor()
  await page.locator('.finder').click()
  await page.locator('.palette input').fill(text)
  await page.waitForTimeout(1_000)
}

async function goOffline(page: Page) {
  await page.locator('table').waitFor()
  await page.route('**/v1/**', route => route.abort('connectionfailed'))
  await page.locator('.offline p').waitFor({ timeout: 20_000 })
}

async function fillLink(page: Page) {
  const [amount, title] = [page.locator('[name=amount]'), page.locator('[name=title]')]
  await amount.fill('49.00')
  await title.fill('Paper lantern, 40 cm')
  await page.locator('[name=description]').fill('Handmade, ships in two days.')
  await page.locator('[name=reference]').fill('LL-20418')
  await page.locator('.preview__options').waitFor()
  await refuse(page, '**/payment-links?*', 409, 'duplicate_reference', { paymentLinkId: links[0]?.id })
  await page.locator('button[type=submit]').click()
}

/** Faults of the browser, and the e-mail address of another customer. */
async function fillCustomer(page: Page) {
  await page.locator('[name=email]').fill('henrik.lund@fastmail.com')
  await page.locator('fieldset .input').first().fill('Nørregade 12')
  await page.locator('fieldset .button').click()
  await page.locator('.pair input').nth(1).fill('gold')
  await page.locator('button[type=submit]').click()
}

async function takeCredit(page: Page, amount: string) {
  await page.locator('.section header .button').click()
  await page.locator('dialog[open] [type=radio]').nth(1).check()
  await page.locator('dialog[open] [inputmode=decimal]').fill(amount)
  await page.locator('dialog[open] button[type=submit]').click()
}

async function eraseCustomer(page: Page) {
  await page.locator('.head .button--danger').click()
  await page.locator('dialog[open] :is(.blockers, .facts)').first().waitFor()
}

/** An action in the menu of an invoice. */
async function chooseInMenu(page: Page, n: number) {
  await page.locator('.head [aria-haspopup=menu]').click()
  await page.locator(':popover-open [role=menuitem]').nth(n).click()
  await page.locator('dialog[open]').waitFor()
}

async function remindTooSoon(page: Page) {
  await page.route('**/remind', route =>
    route.fulfill({ status: 429, headers: { 'retry-after': '1260' }, json: { error: { code: 'rate_limited' } } }),
  )
  await page.locator('.head .button--primary').click()
  await page.locator('dialog[open] button[type=submit]').click()
  await page.getByRole('alert').waitFor()
}

async function chooseSurvivor(page: Page) {
  await page.locator('.head .button:not(.button--primary, .button--danger)').click()
  const input = page.locator('dialog[open] [role=combobox]')
  await input.fill('Hen')
  await page.locator('[role=option]').first().click()
  await page.locator('dialog[open] .facts').waitFor()
}

async function fillInvoice(page: Page) {
  await page.locator('[name=description]').fill('Paper lantern, 60 cm')
  await page.locator('[name=quantity]').fill('12')
  await page.locator('[name=unitAmount]').fill('69')
  await page.locator('[name=unitAmount]').press('Enter')
  await page.locator('[name=description]').nth(1).fill('Consulting on the lights of the hall, abroad')
  await page.locator('[name=unitAmount]').nth(1).fill('1,250.00')
  await page.locator('.line summary').nth(1).click()
  await page.locator('[name=taxCategory]').selectOption('reverse_charge')
  await page.locator('[name=taxNote]').fill('Article 196 of Directive 2006/112/EC')
  await page.waitForTimeout(600)
}

/** Of a new customer, whose address is begun. */
async function typeAddress(page: Page) {
  await page.locator('[name=email]').fill('einkauf@hotel-seeblick.de')
  await page.locator('.editor__form .more summary').first().click()
  await page.locator('[name=taxId]').fill('DE811907344')
  await page.locator('.editor__form button[type=submit]').click()
}

/** Faults of the browser at their fields. */
async function breakInvoice(page: Page) {
  await page.locator('[name=quantity]').fill('1,000')
  await page.locator('[name=taxRate]').fill('19.555')
  await page.locator('.line summary').click()
  await page.locator('[name=taxCategory]').selectOption('exempt')
  await page.locator('[name=due]').nth(1).check()
  await page.locator('[name=days]').fill('400')
  await page.locator('button[type=submit]').click()
}

async function leaveInvoice(page: Page) {
  await page.locator('[name=description]').fill('Paper lantern, 60 cm')
  await page.locator('.crumb').click()
}

async function fillPlan(page: Page) {
  await page.locator('[name=name]').fill('Lamp of the month')
  await page.locator('[name=description]').last().fill('Lamp of the month')
  await page.locator('[name=unitAmount]').fill('49.00')
  await page.locator('[name=trialDays]').fill('14')
  await page.locator('.more summary').click()
}

async function breakPlan(page: Page) {
  await page.locator('[name=intervalCount]').fill('13')
  await page.locator('[name=graceDays]').fill('28')
  await page.locator('[name=maxPeriods]').evaluate((field: HTMLInputElement) => {
    field.value = '0'
    field.dispatchEvent(new Event('input', { bubbles: true }))
  })
  await page.locator('button[type=submit]').click()
}

async function showPreview(page: Page) {
  await page.locator('.line').first().waitFor()
  const tab = page.locator('[role=tab]').nth(1)
  if (await tab.isVisible()) await tab.click()
  await page.waitForTimeout(600)
}

async function openMore(page: Page) {
  await page.locator('.more summary').click()
  await page.locator('.more').scrollIntoViewIfNeeded()
}

/** Another tab has saved the draft, while lines were typed in this one. */
async function changeElsewhere(page: Page) {
  await page.locator('[name=description]').first().fill('Paper lantern, 80 cm')
  await page.route('**/invoices/inv_*', route =>
    route.fulfill({ json: { ...invoices.draft, notes: 'Changed.', updatedAt: '2026-11-25T14:31:00.000Z' } }),
  )
  await page.locator('button[type=submit]').click()
  await page.locator('.note').waitFor()
}

async function askToFinalize(page: Page) {
  await page.locator('.editor__form > .buttons .button').nth(1).click()
  await page.locator('dialog[open] .facts').waitFor()
}

async function breakBilling(page: Page) {
  await page.locator('[name=numberPattern]').fill('{prefix}-{number:4}')
  await page.locator('[name=nextNumber]').fill('3')
  await page.locator('[name=taxRateBps]').fill('101')
  await page.locator('[role=combobox]').fill('Europe/Atlantis')
  await page.locator('.beside button[type=submit]').click()
}

async function pickZone(page: Page) {
  await page.locator('[role=combobox]').fill('new y')
  await page.locator('[role=option]').first().waitFor()
}

/** A wallet of the browser, and the ways beside it. */
async function openWays(page: Page) {
  await page.evaluate(() => {
    const provider = { request: () => new Promise(() => {}) }
    const detail = { info: { uuid: 'lamp', name: 'Lamp Wallet' }, provider }
    dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }))
  })
  for (const each of await page.locator('.more summary').all()) await each.click()
  await page.locator('.qr').waitFor()
  await page.locator('.more button[type=submit]').click()
}

/** As after a wallet was asked. */
async function leaveNote(page: Page, hash: string | null) {
  const note = JSON.stringify({ merchantId, at: '2026-11-25T14:20:00.000Z', hash })
  await page.evaluate(
    ([id = '', text = '']) => localStorage.setItem(`paymachine.refund.${id}`, text),
    [refunds.sign?.id ?? '', note],
  )
  await page.route('**/transaction', route => route.abort())
  await page.reload()
  await page.locator('.note').waitFor()
}

async function createKey(page: Page) {
  await page.locator('.head .button--primary').click()
  await page.locator('dialog[open] input[autocomplete=off]').fill('Shop server')
  await page.locator('dialog[open] button[type=submit]').click()
}

async function turnOnMfa(page: Page) {
  await page.locator('.setting .button').first().click()
  await page.locator('dialog[open] [name=code]').fill('492039')
  await page.locator('dialog[open] button[type=submit]').click()
  await page.locator('.codes').waitFor()
}

/** An action of a row. */
async function pickIn(page: Page, row: number, item: number) {
  await page.locator('td .icon-button').nth(row).click()
  await page.locator('[role=menuitem]:visible').nth(item).click()
}

async function inviteMember(page: Page) {
  await page.locator('.head .button--primary').click()
  await page.locator('dialog[open] button[type=submit]').click()
}

async function openRevoked(page: Page) {
  await refuse(page, '**/v1/auth/invites/preview', 404, 'resource_not_found')
  await page.reload()
  await page.locator('.note').waitFor()
}

async function acceptInvite(page: Page) {
  await refuse(page, '**/v1/auth/invites/accept', 404, 'resource_not_found')
  await page.locator('input[type=email]').fill('mira@lampsandlight.com')
  await page.locator('input[type=password]').fill('correct horse')
  await page.locator('button[type=submit]').click()
}

/** The browser tries again first. */
function waitForFailure(page: Page) {
  return page.locator('[role=alert] .request-id').waitFor({ timeout: 20_000 })
}

/** The event stream ends, and the account has changed. */
function changeMerchants(change: (merchants: Account['merchants']) => Account['merchants']) {
  return async (page: Page) => {
    await page.locator('table').first().waitFor()
    await page.route('**/v1/auth/me', route =>
      route.fulfill({ json: { ...account, merchants: change(account.merchants) } }),
    )
    await page.locator('.notice').waitFor({ timeout: 20_000 })
  }
}

/** An action in the menu of an endpoint. */
async function choose(page: Page, n: number) {
  await page.locator('.head .icon-button').click()
  // The menus that are closed have items too.
  await page.locator(':popover-open [role=menuitem]').nth(n).click()
}

async function rotateSecret(page: Page) {
  await choose(page, 1)
  await page.locator('dialog[open] .button--primary').click()
  await page.locator('[data-testid=secret]').waitFor()
}

async function endSession(page: Page) {
  await page.locator('table').waitFor()
  await refuse(page, '**/v1/auth/refresh', 401, 'invalid_token')
  await refuse(page, '**/v1/merchants/**', 401, 'invalid_token')
  await page.locator('dialog[open]').waitFor({ timeout: 20_000 })
}

async function askForProof(page: Page) {
  await refuse(page, '**/api-keys?*', 403, 'step_up_required', {}, 'POST')
  await createKey(page)
}

async function refuse(page: Page, url: string, status: number, code: string, details = {}, method?: string) {
  await page.route(url, route => {
    if (method !== undefined && route.request().method() !== method) return route.fallback()
    const error = { code, message: code, details, requestId: '019abc00-5d00-7c3e-9a51-1f2f5fd7b0aa' }
    return route.fulfill({ status, json: { error } })
  })
}

/** Those that a request for the list asks for. */
const refundsOf = (url: string) => {
  const { searchParams } = new URL(url)
  const statuses = searchParams.getAll('status')
  if (searchParams.has('paymentId')) return refunds.sign ? [refunds.sign] : []
  return Object.values(refunds)
    .filter(({ status }) => statuses.length === 0 || statuses.includes(status))
    .filter(({ attention }) => attention || !searchParams.has('attention'))
}

/** Answers the calls of the page with samples. */
const answer = (
  page: Page,
  { path, data = 'full', signedOut, role, mfa = false, noAddress, clock: advancing, months }: View,
  livemode: boolean,
) =>
  page.route('**/v1/**', async route => {
    const { pathname } = new URL(route.request().url())
    const end = pathname.split('/').slice(4).join('/')
    const json = (body: unknown, status = 200) => route.fulfill({ status, json: body })
    if (pathname === '/v1/auth/session') return json({ signedIn: signedOut === undefined })
    const signedIn = {
      user: { ...account.user, mfaEnabled: mfa },
      merchants: account.merchants.map(each => ({ ...each, role: role ?? each.role })),
    }
    if (pathname === '/v1/auth/refresh') return json({ accessToken: 't', expiresIn: 900, ...signedIn })
    if (pathname === '/v1/auth/me') return json(signedIn)
    if (end === 'members' && (path !== 'members' || role)) return json(sampleList(members, 'full'))
    if (pathname === '/v1/auth/invites/preview') return json(invitePreview)
    if (pathname === '/v1/auth/mfa/setup') return json(mfaSetup)
    if (pathname === '/v1/auth/mfa/confirm') return json({ recoveryCodes })
    if (data === 'loading') return
    if (data === 'failed') return json(sampleFailure, 503)
    if (pathname === '/v1/auth/sessions') return json({ ...sampleList(sessions, 'full'), has_more: false })
    const given = (record: object) => ({ ...record, livemode })
    if (end === 'disputes') return json(sampleList([], data))
    if (end === 'customers') return json({ ...sampleList(customers.slice(0, 4).map(given), data), has_more: false })
    if (end.endsWith('/credit')) return json({ ...sampleList(creditEntries, data), has_more: false })
    if (end.startsWith('customers/')) return json(given(customers.find(({ id }) => end.endsWith(id)) ?? {}))
    if (end === 'settings/billing')
      return json(given(data === 'empty' ? { ...billingSettings, legalName: null, address: null } : billingSettings))
    if (end === 'invoices' && path.startsWith('subscriptions/')) {
      const rows = invoicesOfSubscription(new URL(route.request().url()).searchParams.get('subscriptionId') ?? '')
      return json({ ...sampleList(rows.map(given), data), has_more: false })
    }
    if (end === 'invoices') return json(sampleList(Object.values(invoices).map(given), data))
    if (end === 'subscriptions' && path.startsWith('customers/'))
      return json({ ...sampleList([], 'empty'), has_more: false })
    if (end === 'credit-notes') {
      const id = new URL(route.request().url()).searchParams.get('invoiceId')
      const notes = creditNotes.filter(({ invoiceId }) => invoiceId === id)
      return json({ ...sampleList(notes, 'full'), has_more: false })
    }
    if (end.startsWith('credit-notes/')) return json(creditNotes.find(({ id }) => end.endsWith(id)) ?? {})
    if (end.startsWith('invoices/') && end.endsWith('/history')) return json(sampleList(invoiceHistory, 'full'))
    if (end.startsWith('invoices/'))
      return json(
        given(
          [...Object.values(invoices), largeDraft, ...Object.values(shownInvoices)].find(({ id }) =>
            end.endsWith(id),
          ) ?? {},
        ),
      )
    if (end === 'subscriptions')
      return json({ ...sampleList(Object.values(subscriptions).map(given), data), has_more: false })
    if (end.startsWith('subscriptions/') && end.endsWith('/preview')) return json(invoicePreview)
    if (end.startsWith('test-clocks/')) return json({ ...clock, status: advancing ?? 'ready' })
    if (end.startsWith('subscriptions/'))
      return json(given(Object.values(subscriptions).find(({ id }) => end.endsWith(id)) ?? {}))
    if (end === 'plans') return json({ ...sampleList(Object.values(plans).map(given), data), has_more: false })
    if (end.startsWith('plans/')) return json(given(Object.values(plans).find(({ id }) => end.endsWith(id)) ?? {}))
    if (end === 'analytics/summary') return json(sampleSummary(data === 'empty'))
    if (end === 'analytics/series')
      return json(sampleSeries(new URL(route.request().url()).searchParams, data === 'empty'))
    if (end === 'balances')
      return json({
        ...sampleList(balances, data),
        unavailable: data === 'full' ? [{ chainId: 1, network: 'Ethereum' }] : [],
      })
    if (end === 'collections') return json(collection, 201)
    if (end.startsWith('disputes/') && end.endsWith('/history')) return json(sampleList(disputeHistory, 'full'))
    if (end === 'disputes') return json(sampleList(disputes, data))
    if (end.startsWith('disputes/')) return json(disputes.find(({ id }) => end.endsWith(id)) ?? {})
    if (end.startsWith('refunds/') && end.endsWith('/history')) return json(sampleList(refundHistory, 'full'))
    if (end === 'payments' && path.startsWith('invoices/')) {
      const invoice = Object.values(shownInvoices).find(({ id }) => path.endsWith(id))
      return json({ ...sampleList(invoice ? paymentsOfInvoice(invoice) : [], 'full'), has_more: false })
    }
    if (end === 'payments') {
      const query = new URL(route.request().url()).searchParams
      if (query.has('customerId') && query.has('createdAfter')) {
        if (months === 'loading') return
        if (months === 'failed') return json(sampleFailure, 503)
        const rows = months === 'empty' ? [] : samplePayments(query.get('createdAfter') ?? '')
        return json({ object: 'list', data: rows, has_more: months === 'many' })
      }
      const rows = Object.values(payments).filter(
        ({ status, attention }) =>
          (!query.has('attention') || attention) && (!query.has('status') || query.getAll('status').includes(status)),
      )
      return json(sampleList(rows.slice(0, Number(query.get('limit') ?? 25)).map(given), data))
    }
    if (end.endsWith('/history')) return json(sampleList(history, 'full'))
    if (end.endsWith('/payment-uri'))
      return json({ paymentUri: `ethereum:${refunds.sign?.destination}@8453?value=1`, qrCode: qrCode('paid', 'QR') })
    if (end === 'refunds')
      return json({ ...sampleList(refundsOf(route.request().url()).map(given), data), has_more: false })
    if (end.startsWith('refunds/')) return json(given(Object.values(refunds).find(({ id }) => end.endsWith(id)) ?? {}))
    if (end.startsWith('payments/'))
      return json(given(Object.values(payments).find(({ id }) => end.endsWith(id)) ?? {}))
    if (end === 'payment-links/preview') return json({ options: livemode ? [] : options })
    if (end === 'payment-links') return json(sampleList(links.map(given), data))
    if (end.startsWith('payment-links/')) return json(given(links.find(({ id }) => end.endsWith(id)) ?? {}))
    if (end === 'api-keys' && route.request().method() === 'POST')
      return json({ ...keys[0], secret: 'sk_live_9aQx4mT7vK2pLr8WnE3sYb6HdJ1cZuGf' }, 201)
    if (end === 'api-keys') return json(sampleList(keys.map(given), data))
    if (end === 'members')
      return json({ ...sampleList(data === 'empty' ? members.slice(2) : members, 'full'), has_more: false })
    if (end === 'settings')
      return json(
        data === 'empty' || noAddress ? { ...settings, receivingAddress: null, receivingAddresses: {} } : settings,
      )
    if (end === 'settings/check-address') return json({ address: settings.receivingAddress, chains: networks })
    if (end === 'audit-log') return json(sampleList(securityEvents, data))
    if (end === 'invites' && route.request().method() === 'POST') return json(newInvite, 201)
    if (end === 'invites') return json({ ...sampleList(invites, data), has_more: false })
    if (end === 'events') return json(sampleList(events.map(given), data))
    if (end.startsWith('events/')) return json(given(events.find(({ id }) => end.endsWith(id)) ?? {}))
    if (end.endsWith('/inbox')) return json(sampleList(inboxRequests, 'empty' === data ? 'empty' : 'loading'))
    if (end.endsWith('/test')) return json(given(deliveries[0] ?? {}), 201)
    if (end.endsWith('/rotate-secret'))
      return json({ ...endpoints[0], signingSecret: 'whsec_zuPq0Gm1yN3vT5xK7bQ9dF2hJ4lM6nR8sW0uY1aC3eI=' })
    if (end.endsWith('deliveries')) return json(sampleList(deliveries.map(given), data))
    if (end.startsWith('deliveries/')) return json(given(deliveries.find(({ id }) => end.endsWith(id)) ?? {}))
    if (end.startsWith('webhook-endpoints/'))
      return json(given([...endpoints, inbox].find(({ id }) => end.endsWith(id)) ?? {}))
    // All of them: who receives an event is asked.
    if (new URL(route.request().url()).searchParams.get('limit') === '100')
      return json({ ...sampleList(endpoints.map(given), data), has_more: false })
    return json(sampleList(endpoints.map(given), data))
  })

await takePictures<View>({
  ...{ surface: 'dashboard', views },
  answer: (page, view) => answer(page, view, (view.mode ?? 'live') === 'live'),
  pathOf: ({ path, mode = 'live', signedOut }) =>
    signedOut === undefined
      ? `/dashboard/${merchantId}/${mode}/${path}`
      : `/dashboard/${path.replace(/(?=#|$)/, `?signUp=${signedOut}`)}`,
  frame: (web, locale, { searchParams }) =>
    dashboardPage(web, { locale, chains, signUp: (searchParams.get('signUp') as SignUpState) ?? 'done' }),
})
