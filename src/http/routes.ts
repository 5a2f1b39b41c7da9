import { analyticsRoutes } from './analytics.ts'
import { apiKeyRoutes } from './api-keys.ts'
import { auditLogRoutes } from './audit-log.ts'
import { authRoutes } from './auth.ts'
import { balanceRoutes } from './balances.ts'
import { billingSettingsRoutes } from './billing-settings.ts'
import { checkoutRoutes } from './checkout.ts'
import { checkoutInvoiceRoutes } from './checkout-invoices.ts'
import { checkoutPlanRoutes } from './checkout-plans.ts'
import { checkoutSubscriptionRoutes } from './checkout-subscriptions.ts'
import { collectionRoutes } from './collections.ts'
import { creditNoteRoutes } from './credit-notes.ts'
import { customerCreditRoutes } from './customer-credit.ts'
import { customerRoutes } from './customers.ts'
import { deliveryRoutes } from './deliveries.ts'
import { disputeRoutes } from './disputes.ts'
import { eventRoutes } from './events.ts'
import { exportRoutes } from './exports/routes.ts'
import { historyRoutes } from './history.ts'
import { inboxRoutes } from './inbox.ts'
import { inviteRoutes } from './invites.ts'
import { invoiceActionRoutes } from './invoice-actions.ts'
import { invoiceRoutes } from './invoices.ts'
import { logoRoutes } from './logos.ts'
import { memberRoutes } from './members.ts'
import { opsRoutes } from './ops/routes.ts'
import { paymentLinkRoutes } from './payment-links.ts'
import { paymentRoutes } from './payments.ts'
import { planRoutes } from './plans.ts'
import { recoveryFileRoutes } from './recovery-file.ts'
import { refundSigningRoutes } from './refund-signing.ts'
import { refundTransactionRoutes } from './refund-transactions.ts'
import { refundRoutes } from './refunds.ts'
import type { Route } from './route.ts'
import { settingsRoutes } from './settings.ts'
import { simulateRoutes } from './simulate.ts'
import { streamRoutes } from './stream.ts'
import { subscriptionActionRoutes } from './subscription-actions.ts'
import { subscriptionRoutes } from './subscriptions.ts'
import { testClockRoutes } from './test-clocks.ts'
import { webhookEndpointRoutes } from './webhook-endpoints.ts'

/** All routes of the API, without health checks, metrics and pages. */
export const routes: readonly Route[] = [
  ...authRoutes,
  ...settingsRoutes,
  ...billingSettingsRoutes,
  ...logoRoutes,
  ...memberRoutes,
  ...inviteRoutes,
  ...auditLogRoutes,
  ...apiKeyRoutes,
  ...paymentLinkRoutes,
  ...paymentRoutes,
  ...refundRoutes,
  ...refundTransactionRoutes,
  ...refundSigningRoutes,
  ...disputeRoutes,
  ...customerRoutes,
  ...customerCreditRoutes,
  ...invoiceActionRoutes,
  ...invoiceRoutes,
  ...creditNoteRoutes,
  ...planRoutes,
  ...subscriptionRoutes,
  ...subscriptionActionRoutes,
  ...simulateRoutes,
  ...testClockRoutes,
  ...analyticsRoutes,
  ...exportRoutes,
  ...balanceRoutes,
  ...collectionRoutes,
  ...recoveryFileRoutes,
  ...eventRoutes,
  ...webhookEndpointRoutes,
  ...inboxRoutes,
  ...deliveryRoutes,
  ...historyRoutes,
  ...streamRoutes,
  ...checkoutInvoiceRoutes,
  ...checkoutPlanRoutes,
  ...checkoutSubscriptionRoutes,
  ...checkoutRoutes,
  ...opsRoutes,
]
