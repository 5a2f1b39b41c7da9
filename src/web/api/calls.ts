// Written by `bun run calls` from the OpenAPI document. A test fails if it is not up to date.

/** By operation: the method, the path, the parameters of the query. Other fields are sent in the body. */
export const calls = {
  signUp: 'POST /v1/auth/sign-up',
  signIn: 'POST /v1/auth/sign-in',
  getAccount: 'GET /v1/auth/me',
  changePassword: 'POST /v1/auth/password',
  stepUp: 'POST /v1/auth/step-up',
  findOwnSession: 'GET /v1/auth/session',
  refreshSession: 'POST /v1/auth/refresh',
  signOut: 'POST /v1/auth/sign-out',
  listSessions: 'GET /v1/auth/sessions',
  endSession: 'DELETE /v1/auth/sessions/{id}',
  setUpMfa: 'POST /v1/auth/mfa/setup',
  confirmMfa: 'POST /v1/auth/mfa/confirm',
  renewRecoveryCodes: 'POST /v1/auth/mfa/recovery-codes',
  disableMfa: 'POST /v1/auth/mfa/disable',
  getSettings: 'GET /v1/merchants/{merchantId}/settings?livemode',
  updateSettings: 'PATCH /v1/merchants/{merchantId}/settings?livemode',
  checkAddress: 'POST /v1/merchants/{merchantId}/settings/check-address?livemode',
  getBillingSettings: 'GET /v1/merchants/{merchantId}/settings/billing?livemode',
  updateBillingSettings: 'PATCH /v1/merchants/{merchantId}/settings/billing?livemode',
  uploadLogo: 'POST /v1/merchants/{merchantId}/settings/logo?livemode',
  deleteLogo: 'DELETE /v1/merchants/{merchantId}/settings/logo',
  listMembers: 'GET /v1/merchants/{merchantId}/members?limit&order&livemode&startingAfter',
  changeRole: 'PATCH /v1/merchants/{merchantId}/members/{id}',
  removeMember: 'DELETE /v1/merchants/{merchantId}/members/{id}',
  listInvites: 'GET /v1/merchants/{merchantId}/invites?limit&order&livemode&startingAfter',
  inviteMember: 'POST /v1/merchants/{merchantId}/invites',
  revokeInvite: 'DELETE /v1/merchants/{merchantId}/invites/{id}',
  previewInvite: 'POST /v1/auth/invites/preview',
  acceptInvite: 'POST /v1/auth/invites/accept',
  listSecurityEvents: 'GET /v1/merchants/{merchantId}/audit-log?limit&order&action&livemode&startingAfter',
  listApiKeys: 'GET /v1/merchants/{merchantId}/api-keys?limit&order&livemode&startingAfter',
  createApiKey: 'POST /v1/merchants/{merchantId}/api-keys?livemode',
  rotateApiKey: 'POST /v1/merchants/{merchantId}/api-keys/{id}/rotate',
  revokeApiKey: 'POST /v1/merchants/{merchantId}/api-keys/{id}/revoke',
  listPaymentLinks:
    'GET /v1/merchants/{merchantId}/payment-links?limit&order&livemode&createdAfter&createdBefore&hidden&q&reference&startingAfter&status',
  createPaymentLink: 'POST /v1/merchants/{merchantId}/payment-links?livemode',
  previewPaymentLink: 'POST /v1/merchants/{merchantId}/payment-links/preview?livemode',
  getPaymentLink: 'GET /v1/merchants/{merchantId}/payment-links/{id}',
  deactivatePaymentLink: 'POST /v1/merchants/{merchantId}/payment-links/{id}/deactivate',
  listPayments:
    'GET /v1/merchants/{merchantId}/payments?limit&order&livemode&attention&createdAfter&createdBefore&customerId&paymentLinkId&q&reference&startingAfter&status',
  getPayment: 'GET /v1/merchants/{merchantId}/payments/{id}',
  cancelPayment: 'POST /v1/merchants/{merchantId}/payments/{id}/cancel',
  resolvePayment: 'POST /v1/merchants/{merchantId}/payments/{id}/resolve',
  startRefund: 'POST /v1/merchants/{merchantId}/payments/{id}/refunds',
  listRefunds:
    'GET /v1/merchants/{merchantId}/refunds?limit&order&livemode&attention&createdAfter&createdBefore&paymentId&q&startingAfter&status',
  getRefund: 'GET /v1/merchants/{merchantId}/refunds/{id}',
  cancelRefund: 'POST /v1/merchants/{merchantId}/refunds/{id}/cancel',
  resolveRefund: 'POST /v1/merchants/{merchantId}/refunds/{id}/resolve',
  nameRefundTransaction: 'POST /v1/merchants/{merchantId}/refunds/{id}/transaction',
  readRefundPaymentUri: 'GET /v1/merchants/{merchantId}/refunds/{id}/payment-uri',
  retryRefund: 'POST /v1/merchants/{merchantId}/refunds/{id}/retry',
  openDispute: 'POST /v1/merchants/{merchantId}/payments/{id}/disputes',
  listDisputes:
    'GET /v1/merchants/{merchantId}/disputes?limit&order&livemode&createdAfter&createdBefore&paymentId&q&startingAfter&status',
  getDispute: 'GET /v1/merchants/{merchantId}/disputes/{id}',
  giveEvidence: 'POST /v1/merchants/{merchantId}/disputes/{id}/evidence',
  resolveDispute: 'POST /v1/merchants/{merchantId}/disputes/{id}/resolve',
  createCustomer: 'POST /v1/merchants/{merchantId}/customers?livemode',
  listCustomers: 'GET /v1/merchants/{merchantId}/customers?limit&order&livemode&email&q&reference&startingAfter',
  getCustomer: 'GET /v1/merchants/{merchantId}/customers/{id}',
  updateCustomer: 'PATCH /v1/merchants/{merchantId}/customers/{id}',
  listCustomerCredit: 'GET /v1/merchants/{merchantId}/customers/{id}/credit?limit&order&startingAfter',
  adjustCustomerCredit: 'POST /v1/merchants/{merchantId}/customers/{id}/credit',
  mergeCustomer: 'POST /v1/merchants/{merchantId}/customers/{id}/merge',
  eraseCustomer: 'POST /v1/merchants/{merchantId}/customers/{id}/erase',
  finalizeInvoice: 'POST /v1/merchants/{merchantId}/invoices/{id}/finalize',
  markInvoiceUncollectible: 'POST /v1/merchants/{merchantId}/invoices/{id}/uncollectible',
  remindCustomer: 'POST /v1/merchants/{merchantId}/invoices/{id}/remind',
  duplicateInvoice: 'POST /v1/merchants/{merchantId}/invoices/{id}/duplicate',
  rotateInvoiceUrl: 'POST /v1/merchants/{merchantId}/invoices/{id}/rotate-url',
  voidInvoice: 'POST /v1/merchants/{merchantId}/invoices/{id}/void',
  getInvoiceDocument: 'GET /v1/merchants/{merchantId}/invoices/{id}/document?format',
  listInvoiceChain: 'GET /v1/merchants/{merchantId}/invoices/chain?limit&order&livemode&kind&startingAfter&year',
  createInvoice: 'POST /v1/merchants/{merchantId}/invoices?livemode',
  listInvoices:
    'GET /v1/merchants/{merchantId}/invoices?limit&order&livemode&customerId&dueBefore&number&overdue&reference&startingAfter&status&subscriptionId',
  getInvoice: 'GET /v1/merchants/{merchantId}/invoices/{id}',
  updateInvoice: 'PATCH /v1/merchants/{merchantId}/invoices/{id}',
  deleteInvoice: 'DELETE /v1/merchants/{merchantId}/invoices/{id}',
  createCreditNote: 'POST /v1/merchants/{merchantId}/credit-notes?livemode',
  listCreditNotes:
    'GET /v1/merchants/{merchantId}/credit-notes?limit&order&livemode&customerId&invoiceId&startingAfter',
  getCreditNote: 'GET /v1/merchants/{merchantId}/credit-notes/{id}',
  getCreditNoteDocument: 'GET /v1/merchants/{merchantId}/credit-notes/{id}/document?format',
  createPlan: 'POST /v1/merchants/{merchantId}/plans?livemode',
  listPlans: 'GET /v1/merchants/{merchantId}/plans?limit&order&livemode&q&reference&startingAfter&status',
  getPlan: 'GET /v1/merchants/{merchantId}/plans/{id}',
  updatePlan: 'PATCH /v1/merchants/{merchantId}/plans/{id}',
  archivePlan: 'POST /v1/merchants/{merchantId}/plans/{id}/archive',
  createSubscription: 'POST /v1/merchants/{merchantId}/subscriptions?livemode',
  listSubscriptions:
    'GET /v1/merchants/{merchantId}/subscriptions?limit&order&livemode&customerId&planId&startingAfter&status',
  getSubscription: 'GET /v1/merchants/{merchantId}/subscriptions/{id}',
  updateSubscription: 'PATCH /v1/merchants/{merchantId}/subscriptions/{id}',
  rotateSubscriptionUrl: 'POST /v1/merchants/{merchantId}/subscriptions/{id}/rotate-url',
  cancelSubscription: 'POST /v1/merchants/{merchantId}/subscriptions/{id}/cancel',
  uncancelSubscription: 'POST /v1/merchants/{merchantId}/subscriptions/{id}/uncancel',
  pauseSubscription: 'POST /v1/merchants/{merchantId}/subscriptions/{id}/pause',
  resumeSubscription: 'POST /v1/merchants/{merchantId}/subscriptions/{id}/resume',
  changeSubscription: 'POST /v1/merchants/{merchantId}/subscriptions/{id}/change',
  listSubscriptionInvoices: 'GET /v1/merchants/{merchantId}/subscriptions/{id}/invoices?limit&order&startingAfter',
  previewSubscription: 'GET /v1/merchants/{merchantId}/subscriptions/{id}/preview',
  simulatePayment: 'POST /v1/merchants/{merchantId}/payments/{id}/simulate',
  createTestClock: 'POST /v1/merchants/{merchantId}/test-clocks',
  getTestClock: 'GET /v1/merchants/{merchantId}/test-clocks/{id}',
  advanceTestClock: 'POST /v1/merchants/{merchantId}/test-clocks/{id}/advance',
  getAnalyticsSummary: 'GET /v1/merchants/{merchantId}/analytics/summary?livemode&from&to',
  getAnalyticsSeries:
    'GET /v1/merchants/{merchantId}/analytics/series?bucket&livemode&breakdown&currency&from&link&timeZone&to',
  exportPaymentsAsCsv:
    'GET /v1/merchants/{merchantId}/exports/payments.csv?from&to&livemode&attention&bom&createdAfter&createdBefore&customerId&paymentLinkId&q&reference&status',
  exportPaymentsAsNdjson:
    'GET /v1/merchants/{merchantId}/exports/payments.ndjson?from&to&livemode&attention&createdAfter&createdBefore&customerId&paymentLinkId&q&reference&status',
  exportRefundsAsCsv:
    'GET /v1/merchants/{merchantId}/exports/refunds.csv?from&to&livemode&attention&bom&createdAfter&createdBefore&paymentId&q&status',
  exportRefundsAsNdjson:
    'GET /v1/merchants/{merchantId}/exports/refunds.ndjson?from&to&livemode&attention&createdAfter&createdBefore&paymentId&q&status',
  exportInvoicesAsCsv:
    'GET /v1/merchants/{merchantId}/exports/invoices.csv?from&to&livemode&bom&customerId&dueBefore&number&overdue&reference&status&subscriptionId',
  exportInvoicesAsNdjson:
    'GET /v1/merchants/{merchantId}/exports/invoices.ndjson?from&to&livemode&customerId&dueBefore&number&overdue&reference&status&subscriptionId',
  exportCreditNotesAsCsv:
    'GET /v1/merchants/{merchantId}/exports/credit-notes.csv?from&to&livemode&bom&customerId&invoiceId',
  exportCreditNotesAsNdjson:
    'GET /v1/merchants/{merchantId}/exports/credit-notes.ndjson?from&to&livemode&customerId&invoiceId',
  exportSubscriptionsAsCsv:
    'GET /v1/merchants/{merchantId}/exports/subscriptions.csv?from&to&livemode&bom&customerId&planId&status',
  exportSubscriptionsAsNdjson:
    'GET /v1/merchants/{merchantId}/exports/subscriptions.ndjson?from&to&livemode&customerId&planId&status',
  exportCustomersAsCsv: 'GET /v1/merchants/{merchantId}/exports/customers.csv?from&to&livemode&bom&email&q&reference',
  exportCustomersAsNdjson: 'GET /v1/merchants/{merchantId}/exports/customers.ndjson?from&to&livemode&email&q&reference',
  exportBalancesAsCsv: 'GET /v1/merchants/{merchantId}/exports/balances.csv?livemode&bom',
  exportBalancesAsNdjson: 'GET /v1/merchants/{merchantId}/exports/balances.ndjson?livemode',
  createExport: 'POST /v1/merchants/{merchantId}/exports?livemode',
  listBalances: 'GET /v1/merchants/{merchantId}/balances?livemode',
  createCollection: 'POST /v1/merchants/{merchantId}/collections?livemode',
  getRecoveryFile: 'GET /v1/merchants/{merchantId}/recovery-file',
  listEvents: 'GET /v1/merchants/{merchantId}/events?limit&order&livemode&objectId&startingAfter&type',
  getEvent: 'GET /v1/merchants/{merchantId}/events/{id}',
  listWebhookEndpoints: 'GET /v1/merchants/{merchantId}/webhook-endpoints?limit&order&livemode&startingAfter',
  createWebhookEndpoint: 'POST /v1/merchants/{merchantId}/webhook-endpoints?livemode',
  getWebhookEndpoint: 'GET /v1/merchants/{merchantId}/webhook-endpoints/{id}',
  updateWebhookEndpoint: 'PATCH /v1/merchants/{merchantId}/webhook-endpoints/{id}',
  deleteWebhookEndpoint: 'DELETE /v1/merchants/{merchantId}/webhook-endpoints/{id}',
  listInboxRequests: 'GET /v1/merchants/{merchantId}/webhook-endpoints/{id}/inbox',
  enableWebhookEndpoint: 'POST /v1/merchants/{merchantId}/webhook-endpoints/{id}/enable',
  rotateWebhookSecret: 'POST /v1/merchants/{merchantId}/webhook-endpoints/{id}/rotate-secret',
  testWebhookEndpoint: 'POST /v1/merchants/{merchantId}/webhook-endpoints/{id}/test',
  listAllWebhookDeliveries:
    'GET /v1/merchants/{merchantId}/deliveries?limit&order&livemode&endpointId&eventId&eventType&startingAfter&status',
  listWebhookDeliveries:
    'GET /v1/merchants/{merchantId}/webhook-endpoints/{id}/deliveries?limit&order&startingAfter&status',
  recoverWebhookDeliveries: 'POST /v1/merchants/{merchantId}/webhook-endpoints/{id}/recover',
  getWebhookDelivery: 'GET /v1/merchants/{merchantId}/deliveries/{id}',
  redeliverWebhookDelivery: 'POST /v1/merchants/{merchantId}/deliveries/{id}/redeliver',
  listPaymentLinkHistory: 'GET /v1/merchants/{merchantId}/payment-links/{id}/history?limit&order&startingAfter',
  listPaymentHistory: 'GET /v1/merchants/{merchantId}/payments/{id}/history?limit&order&startingAfter',
  listRefundHistory: 'GET /v1/merchants/{merchantId}/refunds/{id}/history?limit&order&startingAfter',
  listDisputeHistory: 'GET /v1/merchants/{merchantId}/disputes/{id}/history?limit&order&startingAfter',
  listInvoiceHistory: 'GET /v1/merchants/{merchantId}/invoices/{id}/history?limit&order&startingAfter',
  listWebhookDeliveryHistory: 'GET /v1/merchants/{merchantId}/deliveries/{id}/history?limit&order&startingAfter',
  streamChanges: 'GET /v1/merchants/{merchantId}/stream?livemode',
  openCheckout: 'POST /v1/checkout/links/{linkId}/payments',
} as const

export type CallName = keyof typeof calls

/** What goes into a call, and what comes out of it. */
export type Calls = {
  signUp: {
    input: {
      readonly email: string
      readonly password: string
      readonly merchantName: string
      readonly signUpCode?: string
    }
    output: SignedIn
  }
  signIn: {
    input: {
      readonly email: string
      readonly password: string
      readonly code?: string
    }
    output: SignedIn
  }
  getAccount: {
    input: object
    output: Account
  }
  changePassword: {
    input: {
      readonly currentPassword: string
      readonly newPassword: string
    }
    output: undefined
  }
  stepUp: {
    input: {
      readonly password?: string
      readonly code?: string
    }
    output: undefined
  }
  findOwnSession: {
    input: object
    output: OwnSession
  }
  refreshSession: {
    input: object
    output: SignedIn
  }
  signOut: {
    input: {
      readonly everywhere?: boolean
    }
    output: undefined
  }
  listSessions: {
    input: object
    output: SessionList
  }
  endSession: {
    input: { readonly id: string }
    output: undefined
  }
  setUpMfa: {
    input: object
    output: MfaSetup
  }
  confirmMfa: {
    input: {
      readonly code: string
    }
    output: RecoveryCodes
  }
  renewRecoveryCodes: {
    input: {
      readonly code: string
    }
    output: RecoveryCodes
  }
  disableMfa: {
    input: {
      readonly code: string
    }
    output: undefined
  }
  getSettings: {
    input: { readonly merchantId: string; readonly livemode?: boolean }
    output: Settings
  }
  updateSettings: {
    input: { readonly merchantId: string; readonly livemode?: boolean } & {
      readonly name?: string
      readonly branding?: {
        readonly accentColor?: string | null
        readonly supportEmail?: string | null
        readonly supportUrl?: string | null
      }
      readonly toleranceBps?: number
      readonly confirmations?: Readonly<Record<string, number | null>>
      readonly latePolicy?: 'accept_stablecoins' | 'needs_attention'
      readonly livemode?: boolean
      readonly receivingAddress?: string | null
      readonly receivingAddresses?: Readonly<Record<string, string | null>>
      readonly refundMode?: 'manual' | 'signer'
    }
    output: Settings
  }
  checkAddress: {
    input: { readonly merchantId: string; readonly livemode?: boolean } & {
      readonly address: string
    }
    output: CheckedAddress
  }
  getBillingSettings: {
    input: { readonly merchantId: string; readonly livemode?: boolean }
    output: BillingSettings
  }
  updateBillingSettings: {
    input: { readonly merchantId: string; readonly livemode?: boolean } & {
      readonly legalName?: string | null
      readonly address?: {
        readonly city: string
        readonly country: string
        readonly line1: string
        readonly postalCode: string
        readonly line2?: string | null
        readonly state?: string | null
      } | null
      readonly timeZone?: string
      readonly taxRateBps?: number
      readonly creditNotePrefix?: string
      readonly daysUntilDue?: number
      readonly invoicePrefix?: string
      readonly nextNumber?: number
      readonly notes?: string | null
      readonly numberPattern?: string
      readonly reminders?: readonly number[]
      readonly restart?: 'never' | 'yearly'
      readonly retentionYears?: number
      readonly taxBehavior?: 'exclusive' | 'inclusive'
      readonly taxId?: string | null
    }
    output: BillingSettings
  }
  uploadLogo: {
    input: { readonly merchantId: string; readonly livemode?: boolean }
    output: Settings
  }
  deleteLogo: {
    input: { readonly merchantId: string }
    output: undefined
  }
  listMembers: {
    input: {
      readonly merchantId: string
      readonly limit?: number
      readonly order?: 'asc' | 'desc'
      readonly livemode?: boolean
      readonly startingAfter?: string
    }
    output: MemberList
  }
  changeRole: {
    input: { readonly merchantId: string; readonly id: string } & {
      readonly role: 'developer' | 'owner' | 'viewer'
    }
    output: Member
  }
  removeMember: {
    input: { readonly merchantId: string; readonly id: string }
    output: undefined
  }
  listInvites: {
    input: {
      readonly merchantId: string
      readonly limit?: number
      readonly order?: 'asc' | 'desc'
      readonly livemode?: boolean
      readonly startingAfter?: string
    }
    output: InviteList
  }
  inviteMember: {
    input: { readonly merchantId: string } & {
      readonly role: 'developer' | 'owner' | 'viewer'
      readonly email?: string | null
    }
    output: InviteWithToken
  }
  revokeInvite: {
    input: { readonly merchantId: string; readonly id: string }
    output: undefined
  }
  previewInvite: {
    input: {
      readonly token: string
    }
    output: InvitePreview
  }
  acceptInvite: {
    input: {
      readonly token: string
      readonly email?: string
      readonly password?: string
    }
    output: Account | SignedIn
  }
  listSecurityEvents: {
    input: {
      readonly merchantId: string
      readonly limit?: number
      readonly order?: 'asc' | 'desc'
      readonly action?: string
      readonly livemode?: boolean
      readonly startingAfter?: string
    }
    output: SecurityEventList
  }
  listApiKeys: {
    input: {
      readonly merchantId: string
      readonly limit?: number
      readonly order?: 'asc' | 'desc'
      readonly livemode?: boolean
      readonly startingAfter?: string
    }
    output: ApiKeyList
  }
  createApiKey: {
    input: { readonly merchantId: string; readonly livemode?: boolean } & {
      readonly name: string
      readonly livemode?: boolean
      readonly access?: 'full' | 'read_only' | 'store_plugin'
      readonly expiresAt?: string | null
      readonly scopes?: readonly (
        | '*'
        | 'billing:read'
        | 'billing:write'
        | 'disputes:write'
        | 'payment_links:write'
        | 'payments:read'
        | 'refunds:write'
      )[]
    }
    output: ApiKeyWithSecret
  }
  rotateApiKey: {
    input: { readonly merchantId: string; readonly id: string } & {
      readonly overlapHours?: number
    }
    output: ApiKeyWithSecret
  }
  revokeApiKey: {
    input: { readonly merchantId: string; readonly id: string }
    output: ApiKey
  }
  listPaymentLinks: {
    input: {
      readonly merchantId: string
      readonly limit?: number
      readonly order?: 'asc' | 'desc'
      readonly livemode?: boolean
      readonly createdAfter?: string
      readonly createdBefore?: string
      readonly hidden?: boolean
      readonly q?: string
      readonly reference?: string
      readonly startingAfter?: string
      readonly status?: readonly ('active' | 'completed' | 'deactivated' | 'expired')[]
    }
    output: PaymentLinkList
  }
  createPaymentLink: {
    input: { readonly merchantId: string; readonly livemode?: boolean; readonly idempotencyKey?: string } & {
      readonly amountMinor: number
      readonly currency: string
      readonly title?: string | null
      readonly reference?: string | null
      readonly maxPayments?: number | null
      readonly assets?:
        | readonly {
            readonly asset: string
            readonly chainId: number
          }[]
        | null
      readonly description?: string | null
      readonly expiresAt?: string | null
      readonly metadata?: Readonly<Record<string, string>>
      readonly successUrl?: string | null
      readonly windowMinutes?: number
    }
    output: PaymentLink
  }
  previewPaymentLink: {
    input: { readonly merchantId: string; readonly livemode?: boolean } & {
      readonly amountMinor: number
      readonly currency: string
      readonly title?: string | null
      readonly assets?:
        | readonly {
            readonly asset: string
            readonly chainId: number
          }[]
        | null
      readonly description?: string | null
      readonly expiresAt?: string | null
      readonly maxPayments?: number | null
      readonly metadata?: Readonly<Record<string, string>>
      readonly reference?: string | null
      readonly successUrl?: string | null
      readonly windowMinutes?: number
    }
    output: VisitedLink
  }
  getPaymentLink: {
    input: { readonly merchantId: string; readonly id: string }
    output: PaymentLink
  }
  deactivatePaymentLink: {
    input: { readonly merchantId: string; readonly id: string }
    output: PaymentLink
  }
  listPayments: {
    input: {
      readonly merchantId: string
      readonly limit?: number
      readonly order?: 'asc' | 'desc'
      readonly livemode?: boolean
      readonly attention?: 'true'
      readonly createdAfter?: string
      readonly createdBefore?: string
      readonly customerId?: string
      readonly paymentLinkId?: string
      readonly q?: string
      readonly reference?: string
      readonly startingAfter?: string
      readonly status?: readonly ('canceled' | 'expired' | 'failed' | 'pending' | 'processing' | 'success')[]
    }
    output: PaymentList
  }
  getPayment: {
    input: { readonly merchantId: string; readonly id: string }
    output: PaymentWithCrypto
  }
  cancelPayment: {
    input: { readonly merchantId: string; readonly id: string }
    output: PaymentWithCrypto
  }
  resolvePayment: {
    input: { readonly merchantId: string; readonly id: string } & {
      readonly action: 'accept' | 'dismiss'
    }
    output: PaymentWithCrypto
  }
  startRefund: {
    input: { readonly merchantId: string; readonly id: string; readonly idempotencyKey: string } & {
      readonly amountMinor?: number
      readonly reason?:
        | 'duplicate'
        | 'fraudulent'
        | 'late_payment'
        | 'other'
        | 'overpayment'
        | 'requested_by_customer'
        | null
      readonly destination?: string | null
      readonly metadata?: Readonly<Record<string, string>>
    }
    output: RefundWithAttention
  }
  listRefunds: {
    input: {
      readonly merchantId: string
      readonly limit?: number
      readonly order?: 'asc' | 'desc'
      readonly livemode?: boolean
      readonly attention?: 'true'
      readonly createdAfter?: string
      readonly createdBefore?: string
      readonly paymentId?: string
      readonly q?: string
      readonly startingAfter?: string
      readonly status?: readonly (
        | 'canceled'
        | 'failed'
        | 'processed'
        | 'processing'
        | 'requires_destination'
        | 'requires_signature'
      )[]
    }
    output: RefundList
  }
  getRefund: {
    input: { readonly merchantId: string; readonly id: string }
    output: RefundWithAttention
  }
  cancelRefund: {
    input: { readonly merchantId: string; readonly id: string }
    output: RefundWithAttention
  }
  resolveRefund: {
    input: { readonly merchantId: string; readonly id: string } & {
      readonly action: 'accept' | 'dismiss' | 'fail'
    }
    output: RefundWithAttention
  }
  nameRefundTransaction: {
    input: { readonly merchantId: string; readonly id: string } & {
      readonly txHash: string
    }
    output: RefundWithAttention
  }
  readRefundPaymentUri: {
    input: { readonly merchantId: string; readonly id: string }
    output: PaymentUri
  }
  retryRefund: {
    input: { readonly merchantId: string; readonly id: string }
    output: RefundWithAttention
  }
  openDispute: {
    input: { readonly merchantId: string; readonly id: string } & {
      readonly reason:
        | 'credit_not_processed'
        | 'duplicate'
        | 'fraudulent'
        | 'general'
        | 'product_not_received'
        | 'product_unacceptable'
      readonly description?: string | null
      readonly amountMinor?: number
    }
    output: Dispute
  }
  listDisputes: {
    input: {
      readonly merchantId: string
      readonly limit?: number
      readonly order?: 'asc' | 'desc'
      readonly livemode?: boolean
      readonly createdAfter?: string
      readonly createdBefore?: string
      readonly paymentId?: string
      readonly q?: string
      readonly startingAfter?: string
      readonly status?: readonly ('lost' | 'needs_response' | 'under_review' | 'won')[]
    }
    output: DisputeList
  }
  getDispute: {
    input: { readonly merchantId: string; readonly id: string }
    output: Dispute
  }
  giveEvidence: {
    input: { readonly merchantId: string; readonly id: string } & {
      readonly uncategorizedText?: string
      readonly submit?: boolean
      readonly customerCommunication?: string
      readonly refundPolicy?: string
      readonly shippingTrackingNumber?: string
    }
    output: Dispute
  }
  resolveDispute: {
    input: { readonly merchantId: string; readonly id: string } & {
      readonly outcome: 'lost' | 'won'
    }
    output: Dispute
  }
  createCustomer: {
    input: { readonly merchantId: string; readonly livemode?: boolean; readonly idempotencyKey?: string } & {
      readonly email: string
      readonly name?: string | null
      readonly reference?: string | null
      readonly address?: {
        readonly city: string
        readonly country: string
        readonly line1: string
        readonly postalCode: string
        readonly line2?: string | null
        readonly state?: string | null
      } | null
      readonly company?: string | null
      readonly locale?: string | null
      readonly metadata?: Readonly<Record<string, string>>
      readonly taxId?: string | null
      readonly testClockId?: string | null
    }
    output: CustomerWithTotals
  }
  listCustomers: {
    input: {
      readonly merchantId: string
      readonly limit?: number
      readonly order?: 'asc' | 'desc'
      readonly livemode?: boolean
      readonly email?: string
      readonly q?: string
      readonly reference?: string
      readonly startingAfter?: string
    }
    output: CustomerList
  }
  getCustomer: {
    input: { readonly merchantId: string; readonly id: string }
    output: CustomerWithTotals
  }
  updateCustomer: {
    input: { readonly merchantId: string; readonly id: string } & {
      readonly email?: string
      readonly address?: {
        readonly city: string
        readonly country: string
        readonly line1: string
        readonly postalCode: string
        readonly line2?: string | null
        readonly state?: string | null
      } | null
      readonly company?: string | null
      readonly locale?: string | null
      readonly metadata?: Readonly<Record<string, string>>
      readonly name?: string | null
      readonly reference?: string | null
      readonly taxId?: string | null
    }
    output: CustomerWithTotals
  }
  listCustomerCredit: {
    input: {
      readonly merchantId: string
      readonly id: string
      readonly limit?: number
      readonly order?: 'asc' | 'desc'
      readonly startingAfter?: string
    }
    output: CreditEntryList
  }
  adjustCustomerCredit: {
    input: { readonly merchantId: string; readonly id: string; readonly idempotencyKey?: string } & {
      readonly currency: string
      readonly amountMinor: number
      readonly note: string
    }
    output: CreditEntry
  }
  mergeCustomer: {
    input: { readonly merchantId: string; readonly id: string } & {
      readonly intoId: string
    }
    output: CustomerWithTotals
  }
  eraseCustomer: {
    input: { readonly merchantId: string; readonly id: string }
    output: CustomerWithTotals
  }
  finalizeInvoice: {
    input: { readonly merchantId: string; readonly id: string; readonly idempotencyKey?: string }
    output: InvoiceWithLines
  }
  markInvoiceUncollectible: {
    input: { readonly merchantId: string; readonly id: string; readonly idempotencyKey?: string }
    output: InvoiceWithLines
  }
  remindCustomer: {
    input: { readonly merchantId: string; readonly id: string; readonly idempotencyKey?: string }
    output: InvoiceWithLines
  }
  duplicateInvoice: {
    input: { readonly merchantId: string; readonly id: string; readonly idempotencyKey?: string }
    output: InvoiceWithLines
  }
  rotateInvoiceUrl: {
    input: { readonly merchantId: string; readonly id: string; readonly idempotencyKey?: string }
    output: InvoiceWithLines
  }
  voidInvoice: {
    input: { readonly merchantId: string; readonly id: string; readonly idempotencyKey?: string } & {
      readonly reason?: string | null
    }
    output: InvoiceWithLines
  }
  getInvoiceDocument: {
    input: { readonly merchantId: string; readonly id: string; readonly format?: 'json' | 'pdf' }
    output: undefined
  }
  listInvoiceChain: {
    input: {
      readonly merchantId: string
      readonly limit?: number
      readonly order?: 'asc' | 'desc'
      readonly livemode?: boolean
      readonly kind?: 'credit_note' | 'invoice'
      readonly startingAfter?: string
      readonly year?: string
    }
    output: ChainedDocumentList
  }
  createInvoice: {
    input: { readonly merchantId: string; readonly livemode?: boolean; readonly idempotencyKey?: string } & {
      readonly customerId?: string
      readonly currency: string
      readonly lines: readonly {
        readonly description: string
        readonly unitAmountMinor: number
        readonly periodEnd?: string | null
        readonly periodStart?: string | null
        readonly quantity?: string
        readonly taxCategory?: 'exempt' | 'export' | 'outside' | 'reverse_charge' | 'standard' | 'zero'
        readonly taxNote?: string | null
        readonly taxRateBps?: number
      }[]
      readonly assets?:
        | readonly {
            readonly asset: string
            readonly chainId: number
          }[]
        | null
      readonly customer?: {
        readonly email: string
        readonly address?: {
          readonly city: string
          readonly country: string
          readonly line1: string
          readonly postalCode: string
          readonly line2?: string | null
          readonly state?: string | null
        } | null
        readonly company?: string | null
        readonly locale?: string | null
        readonly metadata?: Readonly<Record<string, string>>
        readonly name?: string | null
        readonly reference?: string | null
        readonly taxId?: string | null
      }
      readonly daysUntilDue?: number | null
      readonly dueDate?: string | null
      readonly finalize?: boolean
      readonly metadata?: Readonly<Record<string, string>>
      readonly notes?: string | null
      readonly orderNumber?: string | null
      readonly reference?: string | null
      readonly reminders?: readonly number[] | null
      readonly taxBehavior?: 'exclusive' | 'inclusive'
      readonly testClockId?: string | null
    }
    output: InvoiceWithLines
  }
  listInvoices: {
    input: {
      readonly merchantId: string
      readonly limit?: number
      readonly order?: 'asc' | 'desc'
      readonly livemode?: boolean
      readonly customerId?: string
      readonly dueBefore?: string
      readonly number?: string
      readonly overdue?: 'true'
      readonly reference?: string
      readonly startingAfter?: string
      readonly status?: readonly ('draft' | 'open' | 'paid' | 'uncollectible' | 'void')[]
      readonly subscriptionId?: string
    }
    output: InvoiceList
  }
  getInvoice: {
    input: { readonly merchantId: string; readonly id: string }
    output: InvoiceWithLines
  }
  updateInvoice: {
    input: { readonly merchantId: string; readonly id: string } & {
      readonly reference?: string | null
      readonly assets?:
        | readonly {
            readonly asset: string
            readonly chainId: number
          }[]
        | null
      readonly currency?: string
      readonly customer?: {
        readonly email: string
        readonly address?: {
          readonly city: string
          readonly country: string
          readonly line1: string
          readonly postalCode: string
          readonly line2?: string | null
          readonly state?: string | null
        } | null
        readonly company?: string | null
        readonly locale?: string | null
        readonly metadata?: Readonly<Record<string, string>>
        readonly name?: string | null
        readonly reference?: string | null
        readonly taxId?: string | null
      }
      readonly customerId?: string
      readonly daysUntilDue?: number | null
      readonly dueDate?: string | null
      readonly lines?: readonly {
        readonly description: string
        readonly unitAmountMinor: number
        readonly periodEnd?: string | null
        readonly periodStart?: string | null
        readonly quantity?: string
        readonly taxCategory?: 'exempt' | 'export' | 'outside' | 'reverse_charge' | 'standard' | 'zero'
        readonly taxNote?: string | null
        readonly taxRateBps?: number
      }[]
      readonly metadata?: Readonly<Record<string, string>>
      readonly notes?: string | null
      readonly orderNumber?: string | null
      readonly reminders?: readonly number[] | null
      readonly taxBehavior?: 'exclusive' | 'inclusive'
    }
    output: InvoiceWithLines
  }
  deleteInvoice: {
    input: { readonly merchantId: string; readonly id: string }
    output: undefined
  }
  createCreditNote: {
    input: { readonly merchantId: string; readonly livemode?: boolean; readonly idempotencyKey: string } & {
      readonly invoiceId: string
      readonly reason:
        | 'cancellation'
        | 'duplicate'
        | 'order_change'
        | 'other'
        | 'product_unsatisfactory'
        | 'requested_by_customer'
      readonly whole?: true
      readonly refunds?: readonly {
        readonly amountMinor: number
        readonly paymentId: string
        readonly destination?: string | null
      }[]
      readonly creditMinor?: number
      readonly lines?: readonly {
        readonly lineId: string
        readonly amountMinor?: number
        readonly quantity?: string
      }[]
      readonly note?: string | null
    }
    output: CreditNoteWithLines
  }
  listCreditNotes: {
    input: {
      readonly merchantId: string
      readonly limit?: number
      readonly order?: 'asc' | 'desc'
      readonly livemode?: boolean
      readonly customerId?: string
      readonly invoiceId?: string
      readonly startingAfter?: string
    }
    output: CreditNoteList
  }
  getCreditNote: {
    input: { readonly merchantId: string; readonly id: string }
    output: CreditNoteWithLines
  }
  getCreditNoteDocument: {
    input: { readonly merchantId: string; readonly id: string; readonly format?: 'json' | 'pdf' }
    output: undefined
  }
  createPlan: {
    input: { readonly merchantId: string; readonly livemode?: boolean; readonly idempotencyKey?: string } & {
      readonly name: string
      readonly currency: string
      readonly lines: readonly {
        readonly description: string
        readonly unitAmountMinor: number
        readonly quantity?: string
        readonly taxCategory?: 'exempt' | 'export' | 'outside' | 'reverse_charge' | 'standard' | 'zero'
        readonly taxNote?: string | null
        readonly taxRateBps?: number
      }[]
      readonly interval: 'day' | 'month' | 'week' | 'year'
      readonly activation?: 'immediate' | 'on_payment'
      readonly afterGrace?: 'cancel' | 'pause'
      readonly assets?:
        | readonly {
            readonly asset: string
            readonly chainId: number
          }[]
        | null
      readonly description?: string | null
      readonly graceDays?: number
      readonly intervalCount?: number
      readonly leadDays?: number
      readonly maxPeriods?: number | null
      readonly metadata?: Readonly<Record<string, string>>
      readonly reference?: string | null
      readonly taxBehavior?: 'exclusive' | 'inclusive'
      readonly trialDays?: number
    }
    output: Plan
  }
  listPlans: {
    input: {
      readonly merchantId: string
      readonly limit?: number
      readonly order?: 'asc' | 'desc'
      readonly livemode?: boolean
      readonly q?: string
      readonly reference?: string
      readonly startingAfter?: string
      readonly status?: readonly ('active' | 'archived')[]
    }
    output: PlanList
  }
  getPlan: {
    input: { readonly merchantId: string; readonly id: string }
    output: Plan
  }
  updatePlan: {
    input: { readonly merchantId: string; readonly id: string } & {
      readonly name?: string
      readonly description?: string | null
      readonly metadata?: Readonly<Record<string, string>>
    }
    output: Plan
  }
  archivePlan: {
    input: { readonly merchantId: string; readonly id: string }
    output: Plan
  }
  createSubscription: {
    input: { readonly merchantId: string; readonly livemode?: boolean; readonly idempotencyKey?: string } & {
      readonly customerId?: string
      readonly planId?: string
      readonly activation?: 'immediate' | 'on_payment'
      readonly afterGrace?: 'cancel' | 'pause'
      readonly anchorAt?: string
      readonly assets?:
        | readonly {
            readonly asset: string
            readonly chainId: number
          }[]
        | null
      readonly currency?: string
      readonly customer?: {
        readonly email: string
        readonly address?: {
          readonly city: string
          readonly country: string
          readonly line1: string
          readonly postalCode: string
          readonly line2?: string | null
          readonly state?: string | null
        } | null
        readonly company?: string | null
        readonly locale?: string | null
        readonly metadata?: Readonly<Record<string, string>>
        readonly name?: string | null
        readonly reference?: string | null
        readonly taxId?: string | null
      }
      readonly graceDays?: number
      readonly interval?: 'day' | 'month' | 'week' | 'year'
      readonly intervalCount?: number
      readonly leadDays?: number
      readonly lines?: readonly {
        readonly description: string
        readonly unitAmountMinor: number
        readonly quantity?: string
        readonly taxCategory?: 'exempt' | 'export' | 'outside' | 'reverse_charge' | 'standard' | 'zero'
        readonly taxNote?: string | null
        readonly taxRateBps?: number
      }[]
      readonly maxPeriods?: number | null
      readonly metadata?: Readonly<Record<string, string>>
      readonly reference?: string | null
      readonly taxBehavior?: 'exclusive' | 'inclusive'
      readonly testClockId?: string | null
      readonly trialDays?: number
      readonly trialEndsAt?: string
    }
    output: SubscriptionWithLines
  }
  listSubscriptions: {
    input: {
      readonly merchantId: string
      readonly limit?: number
      readonly order?: 'asc' | 'desc'
      readonly livemode?: boolean
      readonly customerId?: string
      readonly planId?: string
      readonly startingAfter?: string
      readonly status?: readonly (
        | 'active'
        | 'canceled'
        | 'completed'
        | 'expired'
        | 'incomplete'
        | 'past_due'
        | 'paused'
        | 'trialing'
      )[]
    }
    output: SubscriptionList
  }
  getSubscription: {
    input: { readonly merchantId: string; readonly id: string }
    output: SubscriptionWithLines
  }
  updateSubscription: {
    input: { readonly merchantId: string; readonly id: string } & {
      readonly graceDays?: number
      readonly leadDays?: number
      readonly metadata?: Readonly<Record<string, string>>
      readonly reference?: string | null
      readonly verified?: boolean
    }
    output: SubscriptionWithLines
  }
  rotateSubscriptionUrl: {
    input: { readonly merchantId: string; readonly id: string; readonly idempotencyKey?: string }
    output: SubscriptionWithLines
  }
  cancelSubscription: {
    input: { readonly merchantId: string; readonly id: string; readonly idempotencyKey?: string } & {
      readonly at?: 'now' | 'period_end'
    }
    output: SubscriptionWithLines
  }
  uncancelSubscription: {
    input: { readonly merchantId: string; readonly id: string; readonly idempotencyKey?: string }
    output: SubscriptionWithLines
  }
  pauseSubscription: {
    input: { readonly merchantId: string; readonly id: string; readonly idempotencyKey?: string } & {
      readonly resumesAt?: string | null
    }
    output: SubscriptionWithLines
  }
  resumeSubscription: {
    input: { readonly merchantId: string; readonly id: string; readonly idempotencyKey?: string }
    output: SubscriptionWithLines
  }
  changeSubscription: {
    input: { readonly merchantId: string; readonly id: string; readonly idempotencyKey?: string } & {
      readonly planId?: string
      readonly lines?: readonly {
        readonly description: string
        readonly unitAmountMinor: number
        readonly quantity?: string
        readonly taxCategory?: 'exempt' | 'export' | 'outside' | 'reverse_charge' | 'standard' | 'zero'
        readonly taxNote?: string | null
        readonly taxRateBps?: number
      }[]
    }
    output: SubscriptionWithLines
  }
  listSubscriptionInvoices: {
    input: {
      readonly merchantId: string
      readonly id: string
      readonly limit?: number
      readonly order?: 'asc' | 'desc'
      readonly startingAfter?: string
    }
    output: InvoiceList
  }
  previewSubscription: {
    input: { readonly merchantId: string; readonly id: string }
    output: InvoicePreview
  }
  simulatePayment: {
    input: { readonly merchantId: string; readonly id: string } & {
      readonly scenario: 'late' | 'overpaid' | 'paid' | 'reorged' | 'reverted' | 'underpaid' | 'wrong_asset'
    }
    output: Simulation
  }
  createTestClock: {
    input: { readonly merchantId: string } & {
      readonly now?: string
    }
    output: TestClock
  }
  getTestClock: {
    input: { readonly merchantId: string; readonly id: string }
    output: TestClock
  }
  advanceTestClock: {
    input: { readonly merchantId: string; readonly id: string } & {
      readonly to: string
    }
    output: TestClock
  }
  getAnalyticsSummary: {
    input: { readonly merchantId: string; readonly livemode?: boolean; readonly from?: string; readonly to?: string }
    output: AnalyticsSummary
  }
  getAnalyticsSeries: {
    input: {
      readonly merchantId: string
      readonly bucket?: 'day' | 'hour' | 'month' | 'total' | 'week'
      readonly livemode?: boolean
      readonly breakdown?: 'asset' | 'chain' | 'link' | 'none'
      readonly currency?: string
      readonly from?: string
      readonly link?: string
      readonly timeZone?: string
      readonly to?: string
    }
    output: Analytics
  }
  exportPaymentsAsCsv: {
    input: {
      readonly merchantId: string
      readonly from: string
      readonly to: string
      readonly livemode?: boolean
      readonly attention?: 'true'
      readonly bom?: boolean
      readonly createdAfter?: string
      readonly createdBefore?: string
      readonly customerId?: string
      readonly paymentLinkId?: string
      readonly q?: string
      readonly reference?: string
      readonly status?: readonly ('canceled' | 'expired' | 'failed' | 'pending' | 'processing' | 'success')[]
    }
    output: undefined
  }
  exportPaymentsAsNdjson: {
    input: {
      readonly merchantId: string
      readonly from: string
      readonly to: string
      readonly livemode?: boolean
      readonly attention?: 'true'
      readonly createdAfter?: string
      readonly createdBefore?: string
      readonly customerId?: string
      readonly paymentLinkId?: string
      readonly q?: string
      readonly reference?: string
      readonly status?: readonly ('canceled' | 'expired' | 'failed' | 'pending' | 'processing' | 'success')[]
    }
    output: undefined
  }
  exportRefundsAsCsv: {
    input: {
      readonly merchantId: string
      readonly from: string
      readonly to: string
      readonly livemode?: boolean
      readonly attention?: 'true'
      readonly bom?: boolean
      readonly createdAfter?: string
      readonly createdBefore?: string
      readonly paymentId?: string
      readonly q?: string
      readonly status?: readonly (
        | 'canceled'
        | 'failed'
        | 'processed'
        | 'processing'
        | 'requires_destination'
        | 'requires_signature'
      )[]
    }
    output: undefined
  }
  exportRefundsAsNdjson: {
    input: {
      readonly merchantId: string
      readonly from: string
      readonly to: string
      readonly livemode?: boolean
      readonly attention?: 'true'
      readonly createdAfter?: string
      readonly createdBefore?: string
      readonly paymentId?: string
      readonly q?: string
      readonly status?: readonly (
        | 'canceled'
        | 'failed'
        | 'processed'
        | 'processing'
        | 'requires_destination'
        | 'requires_signature'
      )[]
    }
    output: undefined
  }
  exportInvoicesAsCsv: {
    input: {
      readonly merchantId: string
      readonly from: string
      readonly to: string
      readonly livemode?: boolean
      readonly bom?: boolean
      readonly customerId?: string
      readonly dueBefore?: string
      readonly number?: string
      readonly overdue?: 'true'
      readonly reference?: string
      readonly status?: readonly ('draft' | 'open' | 'paid' | 'uncollectible' | 'void')[]
      readonly subscriptionId?: string
    }
    output: undefined
  }
  exportInvoicesAsNdjson: {
    input: {
      readonly merchantId: string
      readonly from: string
      readonly to: string
      readonly livemode?: boolean
      readonly customerId?: string
      readonly dueBefore?: string
      readonly number?: string
      readonly overdue?: 'true'
      readonly reference?: string
      readonly status?: readonly ('draft' | 'open' | 'paid' | 'uncollectible' | 'void')[]
      readonly subscriptionId?: string
    }
    output: undefined
  }
  exportCreditNotesAsCsv: {
    input: {
      readonly merchantId: string
      readonly from: string
      readonly to: string
      readonly livemode?: boolean
      readonly bom?: boolean
      readonly customerId?: string
      readonly invoiceId?: string
    }
    output: undefined
  }
  exportCreditNotesAsNdjson: {
    input: {
      readonly merchantId: string
      readonly from: string
      readonly to: string
      readonly livemode?: boolean
      readonly customerId?: string
      readonly invoiceId?: string
    }
    output: undefined
  }
  exportSubscriptionsAsCsv: {
    input: {
      readonly merchantId: string
      readonly from: string
      readonly to: string
      readonly livemode?: boolean
      readonly bom?: boolean
      readonly customerId?: string
      readonly planId?: string
      readonly status?: readonly (
        | 'active'
        | 'canceled'
        | 'completed'
        | 'expired'
        | 'incomplete'
        | 'past_due'
        | 'paused'
        | 'trialing'
      )[]
    }
    output: undefined
  }
  exportSubscriptionsAsNdjson: {
    input: {
      readonly merchantId: string
      readonly from: string
      readonly to: string
      readonly livemode?: boolean
      readonly customerId?: string
      readonly planId?: string
      readonly status?: readonly (
        | 'active'
        | 'canceled'
        | 'completed'
        | 'expired'
        | 'incomplete'
        | 'past_due'
        | 'paused'
        | 'trialing'
      )[]
    }
    output: undefined
  }
  exportCustomersAsCsv: {
    input: {
      readonly merchantId: string
      readonly from: string
      readonly to: string
      readonly livemode?: boolean
      readonly bom?: boolean
      readonly email?: string
      readonly q?: string
      readonly reference?: string
    }
    output: undefined
  }
  exportCustomersAsNdjson: {
    input: {
      readonly merchantId: string
      readonly from: string
      readonly to: string
      readonly livemode?: boolean
      readonly email?: string
      readonly q?: string
      readonly reference?: string
    }
    output: undefined
  }
  exportBalancesAsCsv: {
    input: { readonly merchantId: string; readonly livemode?: boolean; readonly bom?: boolean }
    output: undefined
  }
  exportBalancesAsNdjson: {
    input: { readonly merchantId: string; readonly livemode?: boolean }
    output: undefined
  }
  createExport: {
    input: { readonly merchantId: string; readonly livemode?: boolean } & {
      readonly kind: 'balances' | 'credit-notes' | 'customers' | 'invoices' | 'payments' | 'refunds' | 'subscriptions'
      readonly format: 'csv' | 'ndjson'
      readonly from?: string
      readonly to?: string
      readonly bom?: boolean
    }
    output: ExportDownload
  }
  listBalances: {
    input: { readonly merchantId: string; readonly livemode?: boolean }
    output: BalanceList
  }
  createCollection: {
    input: { readonly merchantId: string; readonly livemode?: boolean } & {
      readonly chainId: number
      readonly asset?: string | null
      readonly treasury?: string
    }
    output: Collection
  }
  getRecoveryFile: {
    input: { readonly merchantId: string }
    output: RecoveryFile
  }
  listEvents: {
    input: {
      readonly merchantId: string
      readonly limit?: number
      readonly order?: 'asc' | 'desc'
      readonly livemode?: boolean
      readonly objectId?: string
      readonly startingAfter?: string
      readonly type?:
        | 'credit_note.issued'
        | 'customer.created'
        | 'customer.erased'
        | 'customer.merged'
        | 'dispute.opened'
        | 'dispute.resolved'
        | 'invoice.created'
        | 'invoice.finalized'
        | 'invoice.overdue'
        | 'invoice.paid'
        | 'invoice.payment_received'
        | 'invoice.reminder'
        | 'invoice.uncollectible'
        | 'invoice.voided'
        | 'payment.canceled'
        | 'payment.created'
        | 'payment.expired'
        | 'payment.failed'
        | 'payment.late'
        | 'payment.processing'
        | 'payment.succeeded'
        | 'payment.underpaid'
        | 'refund.canceled'
        | 'refund.failed'
        | 'refund.processed'
        | 'subscription.activated'
        | 'subscription.canceled'
        | 'subscription.completed'
        | 'subscription.created'
        | 'subscription.expired'
        | 'subscription.past_due'
        | 'subscription.paused'
        | 'subscription.renewed'
        | 'subscription.resumed'
        | 'subscription.trial_ending'
        | 'subscription.updated'
        | 'webhook_endpoint.test'
    }
    output: EventList
  }
  getEvent: {
    input: { readonly merchantId: string; readonly id: string }
    output: Event
  }
  listWebhookEndpoints: {
    input: {
      readonly merchantId: string
      readonly limit?: number
      readonly order?: 'asc' | 'desc'
      readonly livemode?: boolean
      readonly startingAfter?: string
    }
    output: WebhookEndpointList
  }
  createWebhookEndpoint: {
    input: { readonly merchantId: string; readonly livemode?: boolean } & {
      readonly url?: string
      readonly eventTypes: readonly (
        | 'credit_note.issued'
        | 'customer.created'
        | 'customer.erased'
        | 'customer.merged'
        | 'dispute.opened'
        | 'dispute.resolved'
        | 'invoice.created'
        | 'invoice.finalized'
        | 'invoice.overdue'
        | 'invoice.paid'
        | 'invoice.payment_received'
        | 'invoice.reminder'
        | 'invoice.uncollectible'
        | 'invoice.voided'
        | 'payment.canceled'
        | 'payment.created'
        | 'payment.expired'
        | 'payment.failed'
        | 'payment.late'
        | 'payment.processing'
        | 'payment.succeeded'
        | 'payment.underpaid'
        | 'refund.canceled'
        | 'refund.failed'
        | 'refund.processed'
        | 'subscription.activated'
        | 'subscription.canceled'
        | 'subscription.completed'
        | 'subscription.created'
        | 'subscription.expired'
        | 'subscription.past_due'
        | 'subscription.paused'
        | 'subscription.renewed'
        | 'subscription.resumed'
        | 'subscription.trial_ending'
        | 'subscription.updated'
      )[]
      readonly livemode?: boolean
      readonly description?: string | null
      readonly inbox?: boolean
    }
    output: WebhookEndpointWithSecret
  }
  getWebhookEndpoint: {
    input: { readonly merchantId: string; readonly id: string }
    output: WebhookEndpoint
  }
  updateWebhookEndpoint: {
    input: { readonly merchantId: string; readonly id: string } & {
      readonly eventTypes?: readonly (
        | 'credit_note.issued'
        | 'customer.created'
        | 'customer.erased'
        | 'customer.merged'
        | 'dispute.opened'
        | 'dispute.resolved'
        | 'invoice.created'
        | 'invoice.finalized'
        | 'invoice.overdue'
        | 'invoice.paid'
        | 'invoice.payment_received'
        | 'invoice.reminder'
        | 'invoice.uncollectible'
        | 'invoice.voided'
        | 'payment.canceled'
        | 'payment.created'
        | 'payment.expired'
        | 'payment.failed'
        | 'payment.late'
        | 'payment.processing'
        | 'payment.succeeded'
        | 'payment.underpaid'
        | 'refund.canceled'
        | 'refund.failed'
        | 'refund.processed'
        | 'subscription.activated'
        | 'subscription.canceled'
        | 'subscription.completed'
        | 'subscription.created'
        | 'subscription.expired'
        | 'subscription.past_due'
        | 'subscription.paused'
        | 'subscription.renewed'
        | 'subscription.resumed'
        | 'subscription.trial_ending'
        | 'subscription.updated'
      )[]
      readonly description?: string | null
      readonly status?: 'disabled' | 'enabled'
      readonly url?: string
    }
    output: WebhookEndpoint
  }
  deleteWebhookEndpoint: {
    input: { readonly merchantId: string; readonly id: string }
    output: undefined
  }
  listInboxRequests: {
    input: { readonly merchantId: string; readonly id: string }
    output: InboxRequestList
  }
  enableWebhookEndpoint: {
    input: { readonly merchantId: string; readonly id: string }
    output: WebhookEndpoint
  }
  rotateWebhookSecret: {
    input: { readonly merchantId: string; readonly id: string } & {
      readonly overlapHours?: number
    }
    output: WebhookEndpointWithSecret
  }
  testWebhookEndpoint: {
    input: { readonly merchantId: string; readonly id: string }
    output: WebhookDelivery
  }
  listAllWebhookDeliveries: {
    input: {
      readonly merchantId: string
      readonly limit?: number
      readonly order?: 'asc' | 'desc'
      readonly livemode?: boolean
      readonly endpointId?: string
      readonly eventId?: string
      readonly eventType?:
        | 'credit_note.issued'
        | 'customer.created'
        | 'customer.erased'
        | 'customer.merged'
        | 'dispute.opened'
        | 'dispute.resolved'
        | 'invoice.created'
        | 'invoice.finalized'
        | 'invoice.overdue'
        | 'invoice.paid'
        | 'invoice.payment_received'
        | 'invoice.reminder'
        | 'invoice.uncollectible'
        | 'invoice.voided'
        | 'payment.canceled'
        | 'payment.created'
        | 'payment.expired'
        | 'payment.failed'
        | 'payment.late'
        | 'payment.processing'
        | 'payment.succeeded'
        | 'payment.underpaid'
        | 'refund.canceled'
        | 'refund.failed'
        | 'refund.processed'
        | 'subscription.activated'
        | 'subscription.canceled'
        | 'subscription.completed'
        | 'subscription.created'
        | 'subscription.expired'
        | 'subscription.past_due'
        | 'subscription.paused'
        | 'subscription.renewed'
        | 'subscription.resumed'
        | 'subscription.trial_ending'
        | 'subscription.updated'
        | 'webhook_endpoint.test'
      readonly startingAfter?: string
      readonly status?: 'canceled' | 'delivered' | 'failed' | 'pending'
    }
    output: WebhookDeliveryList
  }
  listWebhookDeliveries: {
    input: {
      readonly merchantId: string
      readonly id: string
      readonly limit?: number
      readonly order?: 'asc' | 'desc'
      readonly startingAfter?: string
      readonly status?: 'canceled' | 'delivered' | 'failed' | 'pending'
    }
    output: WebhookDeliveryList
  }
  recoverWebhookDeliveries: {
    input: { readonly merchantId: string; readonly id: string } & {
      readonly since: string
    }
    output: WebhookRecovery
  }
  getWebhookDelivery: {
    input: { readonly merchantId: string; readonly id: string }
    output: WebhookDelivery
  }
  redeliverWebhookDelivery: {
    input: { readonly merchantId: string; readonly id: string }
    output: WebhookDelivery
  }
  listPaymentLinkHistory: {
    input: {
      readonly merchantId: string
      readonly id: string
      readonly limit?: number
      readonly order?: 'asc' | 'desc'
      readonly startingAfter?: string
    }
    output: TransitionList
  }
  listPaymentHistory: {
    input: {
      readonly merchantId: string
      readonly id: string
      readonly limit?: number
      readonly order?: 'asc' | 'desc'
      readonly startingAfter?: string
    }
    output: TransitionList
  }
  listRefundHistory: {
    input: {
      readonly merchantId: string
      readonly id: string
      readonly limit?: number
      readonly order?: 'asc' | 'desc'
      readonly startingAfter?: string
    }
    output: TransitionList
  }
  listDisputeHistory: {
    input: {
      readonly merchantId: string
      readonly id: string
      readonly limit?: number
      readonly order?: 'asc' | 'desc'
      readonly startingAfter?: string
    }
    output: TransitionList
  }
  listInvoiceHistory: {
    input: {
      readonly merchantId: string
      readonly id: string
      readonly limit?: number
      readonly order?: 'asc' | 'desc'
      readonly startingAfter?: string
    }
    output: TransitionList
  }
  listWebhookDeliveryHistory: {
    input: {
      readonly merchantId: string
      readonly id: string
      readonly limit?: number
      readonly order?: 'asc' | 'desc'
      readonly startingAfter?: string
    }
    output: TransitionList
  }
  streamChanges: {
    input: { readonly merchantId: string; readonly livemode?: boolean }
    output: ReadableStream
  }
  openCheckout: {
    input: { readonly linkId: string } & {
      readonly customerEmail: string
      readonly customerName?: string | null
      readonly chainId?: number
      readonly asset?: string
    }
    output: OpenedCheckout
  }
}

export type SignedIn = {
  readonly accessToken: string
  readonly expiresIn: number
  readonly user: {
    readonly email: string
    readonly id: string
    readonly mfaEnabled: boolean
    readonly operator: boolean
  }
  readonly merchants: readonly {
    readonly id: string
    readonly name: string
    readonly role: 'developer' | 'owner' | 'viewer'
  }[]
}

export type Account = {
  readonly user: {
    readonly email: string
    readonly id: string
    readonly mfaEnabled: boolean
    readonly operator: boolean
  }
  readonly merchants: readonly {
    readonly id: string
    readonly name: string
    readonly role: 'developer' | 'owner' | 'viewer'
  }[]
}

export type OwnSession = {
  readonly signedIn: boolean
}

export type SessionList = {
  readonly object: 'list'
  readonly data: readonly Session[]
  readonly has_more: boolean
}

export type MfaSetup = {
  readonly secret: string
  readonly otpauthUrl: string
}

export type RecoveryCodes = {
  readonly recoveryCodes: readonly string[]
}

export type Settings = {
  readonly object: 'settings'
  readonly id: string
  readonly merchantId: string
  readonly livemode: boolean
  readonly name: string
  readonly branding: {
    readonly accentColor: string | null
    readonly logoUrl: string | null
    readonly supportEmail: string | null
    readonly supportUrl: string | null
  }
  readonly receivingAddress: string | null
  readonly receivingAddresses: Readonly<Record<string, string>>
  readonly confirmations: Readonly<Record<string, number>>
  readonly toleranceBps: number
  readonly latePolicy: 'accept_stablecoins' | 'needs_attention'
  readonly refundMode: 'manual' | 'signer'
  readonly createdAt: string
  readonly updatedAt: string
}

export type CheckedAddress = {
  readonly address: string
  readonly chains: readonly {
    readonly chainId: number
    readonly isContract: boolean | null
  }[]
}

export type BillingSettings = {
  readonly object: 'billing_settings'
  readonly id: string
  readonly merchantId: string
  readonly legalName: string | null
  readonly address: {
    readonly city: string
    readonly country: string
    readonly line1: string
    readonly line2: string | null
    readonly postalCode: string
    readonly state: string | null
  } | null
  readonly taxId: string | null
  readonly timeZone: string
  readonly invoicePrefix: string
  readonly creditNotePrefix: string
  readonly numberPattern: string
  readonly restart: 'never' | 'yearly'
  readonly nextNumber: number
  readonly nextCreditNoteNumber: number
  readonly daysUntilDue: number
  readonly taxRateBps: number
  readonly taxBehavior: 'exclusive' | 'inclusive'
  readonly reminders: readonly number[]
  readonly notes: string | null
  readonly retentionYears: number
  readonly livemode: boolean
  readonly createdAt: string
  readonly updatedAt: string
}

export type MemberList = {
  readonly object: 'list'
  readonly data: readonly Member[]
  readonly has_more: boolean
}

export type Member = {
  readonly object: 'member'
  readonly id: string
  readonly merchantId: string
  readonly email: string
  readonly role: 'developer' | 'owner' | 'viewer'
  readonly mfaEnabled: boolean
  readonly createdAt: string
  readonly updatedAt: string
}

export type InviteList = {
  readonly object: 'list'
  readonly data: readonly Invite[]
  readonly has_more: boolean
}

export type InviteWithToken = {
  readonly object: 'invite'
  readonly id: string
  readonly merchantId: string
  readonly role: 'developer' | 'owner' | 'viewer'
  readonly email: string | null
  readonly status: 'expired' | 'pending'
  readonly createdBy: string
  readonly expiresAt: string
  readonly createdAt: string
  readonly updatedAt: string
  readonly url: string
  readonly token: string
}

export type InvitePreview = {
  readonly merchantName: string
  readonly role: 'developer' | 'owner' | 'viewer'
  readonly hasEmail: boolean
  readonly expiresAt: string
}

export type SecurityEventList = {
  readonly object: 'list'
  readonly data: readonly SecurityEvent[]
  readonly has_more: boolean
}

export type ApiKeyList = {
  readonly object: 'list'
  readonly data: readonly ApiKey[]
  readonly has_more: boolean
}

export type ApiKeyWithSecret = {
  readonly object: 'api_key'
  readonly id: string
  readonly merchantId: string
  readonly name: string
  readonly scopes: readonly (
    | '*'
    | 'billing:read'
    | 'billing:write'
    | 'disputes:write'
    | 'payment_links:write'
    | 'payments:read'
    | 'refunds:write'
  )[]
  readonly tag: string
  readonly last4: string
  readonly livemode: boolean
  readonly lastUsedAt: string | null
  readonly expiresAt: string | null
  readonly revokedAt: string | null
  readonly createdAt: string
  readonly updatedAt: string
  readonly secret: string
}

export type ApiKey = {
  readonly object: 'api_key'
  readonly id: string
  readonly merchantId: string
  readonly name: string
  readonly scopes: readonly (
    | '*'
    | 'billing:read'
    | 'billing:write'
    | 'disputes:write'
    | 'payment_links:write'
    | 'payments:read'
    | 'refunds:write'
  )[]
  readonly tag: string
  readonly last4: string
  readonly livemode: boolean
  readonly lastUsedAt: string | null
  readonly expiresAt: string | null
  readonly revokedAt: string | null
  readonly createdAt: string
  readonly updatedAt: string
}

export type PaymentLinkList = {
  readonly object: 'list'
  readonly data: readonly PaymentLink[]
  readonly has_more: boolean
}

export type PaymentLink = {
  readonly object: 'payment_link'
  readonly id: string
  readonly merchantId: string
  readonly url: string
  readonly status: 'active' | 'completed' | 'deactivated' | 'expired'
  readonly amountMinor: number
  readonly currency: string
  readonly title: string | null
  readonly description: string | null
  readonly reference: string | null
  readonly assets:
    | readonly {
        readonly asset: string
        readonly chainId: number
      }[]
    | null
  readonly maxPayments: number | null
  readonly paymentsCount: number
  readonly windowMinutes: number
  readonly expiresAt: string | null
  readonly successUrl: string | null
  readonly metadata: Readonly<Record<string, string>>
  readonly hidden: boolean
  readonly livemode: boolean
  readonly createdAt: string
  readonly updatedAt: string
  readonly deactivatedAt: string | null
}

export type VisitedLink = {
  readonly link: {
    readonly amountMinor: number
    readonly currency: string
    readonly description: string | null
    readonly id: string
    readonly merchantName: string
    readonly status: 'active' | 'completed' | 'deactivated' | 'expired'
    readonly title: string | null
  }
  readonly options: readonly {
    readonly amount: string
    readonly asset: string
    readonly chainId: number
    readonly decimals: number
    readonly network: string
    readonly networkFeeMinor: number | null
    readonly quoteExpiresAt: string | null
    readonly tokenAddress: string | null
  }[]
}

export type PaymentList = {
  readonly object: 'list'
  readonly data: readonly PaymentWithCrypto[]
  readonly has_more: boolean
}

export type PaymentWithCrypto = {
  readonly object: 'payment'
  readonly id: string
  readonly merchantId: string
  readonly method: 'crypto'
  readonly status: 'canceled' | 'expired' | 'failed' | 'pending' | 'processing' | 'success'
  readonly amountMinor: number
  readonly amountRefundedMinor: number
  readonly currency: string
  readonly customerEmail: string
  readonly customerName: string | null
  readonly failureReason:
    | 'amount_mismatch'
    | 'reverted'
    | 'underpaid'
    | 'wrong_asset'
    | 'wrong_chain'
    | 'wrong_recipient'
    | null
  readonly paymentLinkId: string
  readonly customerId: string | null
  readonly invoiceId: string | null
  readonly expiresAt: string
  readonly livemode: boolean
  readonly createdAt: string
  readonly updatedAt: string
  readonly reference: string | null
  readonly metadata: Readonly<Record<string, string>>
  readonly invoiceNumber: string | null
  readonly attention: boolean
  readonly receiptUrl: string | null
  readonly crypto: {
    readonly address: string | null
    readonly amountExpected: string | null
    readonly amountReceived: string
    readonly asset: string | null
    readonly blockNumber: number | null
    readonly chainId: number | null
    readonly confirmations: number
    readonly confirmationsRequired: number | null
    readonly decimals: number | null
    readonly exception: 'late' | 'overpaid' | 'underpaid' | 'wrong_asset' | 'wrong_chain' | null
    readonly explorerUrl: string | null
    readonly network: string
    readonly payerAddress: string | null
    readonly paymentUri: string
    readonly quote: {
      readonly expiresAt: string | null
      readonly rate: string
      readonly source: string | null
    } | null
    readonly tokenAddress: string | null
    readonly transfers: readonly {
      readonly amount: string
      readonly blockHash: string
      readonly blockNumber: number
      readonly confirmations: number
      readonly from: string | null
      readonly logIndex: number | null
      readonly minedAt: string
      readonly state: 'final' | 'orphaned' | 'seen'
      readonly txHash: string | null
    }[]
    readonly txHash: string | null
  } | null
}

export type RefundWithAttention = {
  readonly object: 'refund'
  readonly id: string
  readonly paymentId: string
  readonly merchantId: string
  readonly creditNoteId: string | null
  readonly amountMinor: number
  readonly currency: string
  readonly status: 'canceled' | 'failed' | 'processed' | 'processing' | 'requires_destination' | 'requires_signature'
  readonly reason:
    | 'duplicate'
    | 'fraudulent'
    | 'late_payment'
    | 'other'
    | 'overpayment'
    | 'requested_by_customer'
    | null
  readonly failureReason:
    | 'amount_mismatch'
    | 'dropped'
    | 'reverted'
    | 'unproven'
    | 'wrong_asset'
    | 'wrong_recipient'
    | null
  readonly destination: string | null
  readonly claimUrl: string | null
  readonly crypto: {
    readonly amount: string
    readonly asset: string
    readonly chainId: number
    readonly confirmations: number
    readonly tokenAddress: string | null
    readonly txHash: string | null
  }
  readonly unsignedTransaction: {
    readonly chainId: number
    readonly data: string
    readonly to: string
    readonly value: string
  } | null
  readonly metadata: Readonly<Record<string, string>>
  readonly livemode: boolean
  readonly createdAt: string
  readonly updatedAt: string
  readonly attention: boolean
}

export type RefundList = {
  readonly object: 'list'
  readonly data: readonly RefundWithAttention[]
  readonly has_more: boolean
}

export type PaymentUri = {
  readonly object: 'payment_uri'
  readonly paymentUri: string
  readonly qrCode: string
}

export type Dispute = {
  readonly object: 'dispute'
  readonly id: string
  readonly paymentId: string
  readonly merchantId: string
  readonly amountMinor: number
  readonly currency: string
  readonly reason:
    | 'credit_not_processed'
    | 'duplicate'
    | 'fraudulent'
    | 'general'
    | 'product_not_received'
    | 'product_unacceptable'
  readonly status: 'lost' | 'needs_response' | 'under_review' | 'won'
  readonly evidence: {
    readonly customerCommunication: string | null
    readonly refundPolicy: string | null
    readonly shippingTrackingNumber: string | null
    readonly uncategorizedText: string | null
  }
  readonly evidenceDueBy: string
  readonly outcome: 'lost' | 'won' | null
  readonly livemode: boolean
  readonly createdAt: string
  readonly updatedAt: string
}

export type DisputeList = {
  readonly object: 'list'
  readonly data: readonly Dispute[]
  readonly has_more: boolean
}

export type CustomerWithTotals = {
  readonly object: 'customer'
  readonly id: string
  readonly merchantId: string
  readonly email: string
  readonly name: string | null
  readonly company: string | null
  readonly taxId: string | null
  readonly address: {
    readonly city: string
    readonly country: string
    readonly line1: string
    readonly line2: string | null
    readonly postalCode: string
    readonly state: string | null
  } | null
  readonly locale: string | null
  readonly reference: string | null
  readonly source: 'checkout' | 'merchant'
  readonly mergedIntoId: string | null
  readonly erasedAt: string | null
  readonly testClockId: string | null
  readonly metadata: Readonly<Record<string, string>>
  readonly livemode: boolean
  readonly createdAt: string
  readonly updatedAt: string
  readonly aliases: readonly string[]
  readonly totals: readonly {
    readonly creditMinor: number
    readonly currency: string
    readonly firstPaymentAt: string | null
    readonly lastPaymentAt: string | null
    readonly openMinor: number
    readonly overdueMinor: number
    readonly paymentsCount: number
    readonly refundedMinor: number
    readonly volumeMinor: number
  }[]
}

export type CustomerList = {
  readonly object: 'list'
  readonly data: readonly CustomerWithTotals[]
  readonly has_more: boolean
}

export type CreditEntryList = {
  readonly object: 'list'
  readonly data: readonly CreditEntry[]
  readonly has_more: boolean
}

export type CreditEntry = {
  readonly object: 'credit_entry'
  readonly id: string
  readonly customerId: string
  readonly currency: string
  readonly type: 'adjustment' | 'applied' | 'credit_note' | 'overpayment' | 'refunded' | 'released'
  readonly amountMinor: number
  readonly balanceMinor: number
  readonly invoiceId: string | null
  readonly paymentId: string | null
  readonly creditNoteId: string | null
  readonly note: string | null
  readonly createdAt: string
}

export type InvoiceWithLines = {
  readonly object: 'invoice'
  readonly id: string
  readonly merchantId: string
  readonly customerId: string
  readonly number: string | null
  readonly status: 'draft' | 'open' | 'paid' | 'uncollectible' | 'void'
  readonly overdue: boolean
  readonly currency: string
  readonly taxBehavior: 'exclusive' | 'inclusive'
  readonly subtotalMinor: number
  readonly taxMinor: number
  readonly totalMinor: number
  readonly creditAppliedMinor: number
  readonly creditNotesMinor: number
  readonly amountPaidMinor: number
  readonly amountProcessingMinor: number
  readonly amountDueMinor: number
  readonly amountOverpaidMinor: number
  readonly amountRefundedMinor: number
  readonly uncreditedRefundsMinor: number
  readonly reference: string | null
  readonly orderNumber: string | null
  readonly notes: string | null
  readonly issuedAt: string | null
  readonly issueDate: string | null
  readonly dueDate: string | null
  readonly dueAt: string | null
  readonly paidAt: string | null
  readonly voidedAt: string | null
  readonly url: string | null
  readonly paymentLinkId: string | null
  readonly assets:
    | readonly {
        readonly asset: string
        readonly chainId: number
      }[]
    | null
  readonly subscription: {
    readonly id: string
    readonly periodEnd: string | null
    readonly periodIndex: number
    readonly periodStart: string | null
  } | null
  readonly creditNoteIds: readonly string[]
  readonly documentHash: string | null
  readonly previousDocumentHash: string | null
  readonly retainedUntil: string | null
  readonly metadata: Readonly<Record<string, string>>
  readonly livemode: boolean
  readonly createdAt: string
  readonly updatedAt: string
  readonly lines: readonly {
    readonly amountMinor: number
    readonly description: string
    readonly id: string
    readonly periodEnd: string | null
    readonly periodStart: string | null
    readonly quantity: string
    readonly taxCategory: 'exempt' | 'export' | 'outside' | 'reverse_charge' | 'standard' | 'zero'
    readonly taxNote: string | null
    readonly taxRateBps: number
    readonly unitAmountMinor: number
  }[]
  readonly taxes: readonly {
    readonly netMinor: number
    readonly taxCategory: 'exempt' | 'export' | 'outside' | 'reverse_charge' | 'standard' | 'zero'
    readonly taxMinor: number
    readonly taxRateBps: number
  }[]
  readonly allocations: readonly {
    readonly amountMinor: number
    readonly at: string
    readonly paymentId: string
  }[]
  readonly seller: {
    readonly address: {
      readonly city: string
      readonly country: string
      readonly line1: string
      readonly line2: string | null
      readonly postalCode: string
      readonly state: string | null
    } | null
    readonly legalName: string | null
    readonly taxId: string | null
  } | null
  readonly customer: {
    readonly address: {
      readonly city: string
      readonly country: string
      readonly line1: string
      readonly line2: string | null
      readonly postalCode: string
      readonly state: string | null
    } | null
    readonly company: string | null
    readonly email: string
    readonly locale: string | null
    readonly name: string | null
    readonly taxId: string | null
  } | null
  readonly reminders: readonly {
    readonly at: string
    readonly offsetDays: number
    readonly sentAt: string | null
  }[]
  readonly daysUntilDue: number | null
  readonly reminderOffsets: readonly number[] | null
}

export type ChainedDocumentList = {
  readonly object: 'list'
  readonly data: readonly ChainedDocument[]
  readonly has_more: boolean
}

export type InvoiceList = {
  readonly object: 'list'
  readonly data: readonly InvoiceWithLines[]
  readonly has_more: boolean
}

export type CreditNoteWithLines = {
  readonly object: 'credit_note'
  readonly id: string
  readonly merchantId: string
  readonly invoiceId: string
  readonly customerId: string
  readonly number: string
  readonly reason:
    | 'cancellation'
    | 'duplicate'
    | 'order_change'
    | 'other'
    | 'product_unsatisfactory'
    | 'requested_by_customer'
  readonly currency: string
  readonly subtotalMinor: number
  readonly taxMinor: number
  readonly totalMinor: number
  readonly dueReducedMinor: number
  readonly creditMinor: number
  readonly refundsMinor: number
  readonly refundIds: readonly string[]
  readonly note: string | null
  readonly issuedAt: string
  readonly issueDate: string
  readonly documentHash: string
  readonly previousDocumentHash: string | null
  readonly livemode: boolean
  readonly createdAt: string
  readonly updatedAt: string
  readonly lines: readonly {
    readonly amountMinor: number
    readonly description: string
    readonly lineId: string
    readonly periodEnd: string | null
    readonly periodStart: string | null
    readonly quantity: string | null
    readonly taxCategory: 'exempt' | 'export' | 'outside' | 'reverse_charge' | 'standard' | 'zero'
    readonly taxNote: string | null
    readonly taxRateBps: number
    readonly unitAmountMinor: number | null
  }[]
  readonly taxes: readonly {
    readonly netMinor: number
    readonly taxCategory: 'exempt' | 'export' | 'outside' | 'reverse_charge' | 'standard' | 'zero'
    readonly taxMinor: number
    readonly taxRateBps: number
  }[]
}

export type CreditNoteList = {
  readonly object: 'list'
  readonly data: readonly CreditNoteWithLines[]
  readonly has_more: boolean
}

export type Plan = {
  readonly object: 'plan'
  readonly id: string
  readonly merchantId: string
  readonly name: string
  readonly description: string | null
  readonly status: 'active' | 'archived'
  readonly currency: string
  readonly lines: readonly {
    readonly amountMinor: number
    readonly description: string
    readonly id: string
    readonly quantity: string
    readonly taxCategory: 'exempt' | 'export' | 'outside' | 'reverse_charge' | 'standard' | 'zero'
    readonly taxNote: string | null
    readonly taxRateBps: number
    readonly unitAmountMinor: number
  }[]
  readonly taxBehavior: 'exclusive' | 'inclusive'
  readonly amountMinor: number
  readonly interval: 'day' | 'month' | 'week' | 'year'
  readonly intervalCount: number
  readonly trialDays: number
  readonly leadDays: number
  readonly graceDays: number
  readonly maxPeriods: number | null
  readonly activation: 'immediate' | 'on_payment'
  readonly afterGrace: 'cancel' | 'pause'
  readonly assets:
    | readonly {
        readonly asset: string
        readonly chainId: number
      }[]
    | null
  readonly reference: string | null
  readonly subscriptionsCount: number
  readonly url: string
  readonly metadata: Readonly<Record<string, string>>
  readonly livemode: boolean
  readonly createdAt: string
  readonly updatedAt: string
}

export type PlanList = {
  readonly object: 'list'
  readonly data: readonly Plan[]
  readonly has_more: boolean
}

export type SubscriptionWithLines = {
  readonly object: 'subscription'
  readonly id: string
  readonly merchantId: string
  readonly customerId: string
  readonly planId: string | null
  readonly source: 'checkout' | 'merchant'
  readonly verified: boolean
  readonly status: 'active' | 'canceled' | 'completed' | 'expired' | 'incomplete' | 'past_due' | 'paused' | 'trialing'
  readonly access: {
    readonly granted: boolean
    readonly until: string | null
  }
  readonly currency: string
  readonly taxBehavior: 'exclusive' | 'inclusive'
  readonly amountMinor: number
  readonly interval: 'day' | 'month' | 'week' | 'year'
  readonly intervalCount: number
  readonly anchorAt: string
  readonly periodIndex: number
  readonly periodStart: string | null
  readonly periodEnd: string | null
  readonly nextInvoiceAt: string | null
  readonly trialEndsAt: string | null
  readonly leadDays: number
  readonly graceDays: number
  readonly graceEndsAt: string | null
  readonly maxPeriods: number | null
  readonly activation: 'immediate' | 'on_payment'
  readonly afterGrace: 'cancel' | 'pause'
  readonly cancelAtPeriodEnd: boolean
  readonly pauseAtPeriodEnd: boolean
  readonly canceledAt: string | null
  readonly endedAt: string | null
  readonly endReason: 'completed' | 'customer' | 'incomplete' | 'requested' | 'unpaid' | null
  readonly resumesAt: string | null
  readonly pendingChange: {
    readonly amountMinor: number
    readonly periodIndex: number
    readonly planId: string | null
  } | null
  readonly openInvoiceId: string | null
  readonly latestInvoiceId: string | null
  readonly url: string | null
  readonly reference: string | null
  readonly testClockId: string | null
  readonly metadata: Readonly<Record<string, string>>
  readonly livemode: boolean
  readonly createdAt: string
  readonly updatedAt: string
  readonly lines: readonly {
    readonly amountMinor: number
    readonly description: string
    readonly id: string
    readonly quantity: string
    readonly taxCategory: 'exempt' | 'export' | 'outside' | 'reverse_charge' | 'standard' | 'zero'
    readonly taxNote: string | null
    readonly taxRateBps: number
    readonly unitAmountMinor: number
  }[]
}

export type SubscriptionList = {
  readonly object: 'list'
  readonly data: readonly SubscriptionWithLines[]
  readonly has_more: boolean
}

export type InvoicePreview = {
  readonly object: 'invoice_preview'
  readonly subscriptionId: string
  readonly customerId: string
  readonly periodIndex: number
  readonly periodStart: string
  readonly periodEnd: string
  readonly finalizesAt: string
  readonly dueDate: string
  readonly currency: string
  readonly taxBehavior: 'exclusive' | 'inclusive'
  readonly lines: readonly {
    readonly amountMinor: number
    readonly description: string
    readonly id: string
    readonly periodEnd: string | null
    readonly periodStart: string | null
    readonly quantity: string
    readonly taxCategory: 'exempt' | 'export' | 'outside' | 'reverse_charge' | 'standard' | 'zero'
    readonly taxNote: string | null
    readonly taxRateBps: number
    readonly unitAmountMinor: number
  }[]
  readonly taxes: readonly {
    readonly netMinor: number
    readonly taxCategory: 'exempt' | 'export' | 'outside' | 'reverse_charge' | 'standard' | 'zero'
    readonly taxMinor: number
    readonly taxRateBps: number
  }[]
  readonly subtotalMinor: number
  readonly taxMinor: number
  readonly totalMinor: number
  readonly creditAppliedMinor: number
  readonly amountDueMinor: number
  readonly livemode: boolean
}

export type Simulation = {
  readonly transactions: readonly string[]
}

export type TestClock = {
  readonly object: 'test_clock'
  readonly id: string
  readonly now: string
  readonly status: 'advancing' | 'ready'
  readonly livemode: boolean
  readonly createdAt: string
  readonly updatedAt: string
}

export type AnalyticsSummary = {
  readonly object: 'analytics'
  readonly asOf: string
  readonly timeZone: string
  readonly totals: readonly AnalyticsTotal[]
  readonly billing: readonly {
    readonly creditMinor: number
    readonly currency: string
    readonly invoicePaidMinor: number
    readonly invoicedMinor: number
    readonly mrrMinor: number
    readonly overdueCount: number
    readonly overdueMinor: number
    readonly subscriptions: {
      readonly active: number
      readonly past_due: number
      readonly paused: number
      readonly trialing: number
    }
  }[]
  readonly attention: readonly {
    readonly count: number
    readonly kind: 'overdue_invoices' | 'payments' | 'refunds' | 'webhook_deliveries' | 'webhook_endpoints'
  }[]
}

export type Analytics = {
  readonly object: 'analytics'
  readonly asOf: string
  readonly timeZone: string
  readonly buckets: readonly {
    readonly end: string
    readonly rows: readonly AnalyticsRow[]
    readonly start: string
  }[]
  readonly totals: readonly AnalyticsTotal[]
}

export type ExportDownload = {
  readonly url: string
  readonly expiresAt: string
}

export type BalanceList = {
  readonly object: 'list'
  readonly data: readonly Balance[]
  readonly has_more: boolean
  readonly unavailable: readonly {
    readonly chainId: number
    readonly network: string
  }[]
}

export type Collection = {
  readonly object: 'collection'
  readonly chainId: number
  readonly network: string
  readonly asset: string | null
  readonly treasury: string | null
  readonly step: 'collect' | 'deploy_factory' | 'impossible' | 'nothing'
  readonly unsignedTransaction: {
    readonly chainId: number
    readonly data: string
    readonly gas: number
    readonly to: string
    readonly value: string
  } | null
  readonly addresses: number
  readonly gasPerAddress: number | null
  readonly amounts: readonly {
    readonly addresses: number
    readonly amount: string
    readonly asset: string
    readonly decimals: number
    readonly tokenAddress: string | null
  }[]
  readonly remaining: number
  readonly leftOut: readonly {
    readonly addresses: number
    readonly amount: string
    readonly asset: string
    readonly decimals: number
    readonly reason: 'payment_open' | 'refused' | 'treasury_differs' | 'treasury_public' | 'treasury_unknown'
    readonly tokenAddress: string | null
    readonly treasury: string
  }[]
  readonly otherTreasuries: readonly {
    readonly addresses: number
    readonly treasury: string
  }[]
  readonly livemode: boolean
}

export type RecoveryFile = {
  readonly version: number
  readonly treasuries: readonly {
    readonly address: string
    readonly codeHash: string | null
    readonly onlyOn: number | null
  }[]
  readonly factory: string
  readonly secret: string
  readonly highestCounter: number | null
  readonly chains: readonly {
    readonly chainId: number
    readonly tokens: readonly {
      readonly address: string
      readonly asset: string
      readonly decimals: number
    }[]
  }[]
}

export type EventList = {
  readonly object: 'list'
  readonly data: readonly Event[]
  readonly has_more: boolean
}

export type Event = {
  readonly object: 'event'
  readonly id: string
  readonly type:
    | 'credit_note.issued'
    | 'customer.created'
    | 'customer.erased'
    | 'customer.merged'
    | 'dispute.opened'
    | 'dispute.resolved'
    | 'invoice.created'
    | 'invoice.finalized'
    | 'invoice.overdue'
    | 'invoice.paid'
    | 'invoice.payment_received'
    | 'invoice.reminder'
    | 'invoice.uncollectible'
    | 'invoice.voided'
    | 'payment.canceled'
    | 'payment.created'
    | 'payment.expired'
    | 'payment.failed'
    | 'payment.late'
    | 'payment.processing'
    | 'payment.succeeded'
    | 'payment.underpaid'
    | 'refund.canceled'
    | 'refund.failed'
    | 'refund.processed'
    | 'subscription.activated'
    | 'subscription.canceled'
    | 'subscription.completed'
    | 'subscription.created'
    | 'subscription.expired'
    | 'subscription.past_due'
    | 'subscription.paused'
    | 'subscription.renewed'
    | 'subscription.resumed'
    | 'subscription.trial_ending'
    | 'subscription.updated'
    | 'webhook_endpoint.test'
  readonly created: number
  readonly livemode: boolean
  readonly api_version: string
  readonly data: {
    readonly object: Subscription | Customer | Invoice | Payment | Refund | Dispute | CreditNote | WebhookEndpoint
  }
}

export type WebhookEndpointList = {
  readonly object: 'list'
  readonly data: readonly WebhookEndpoint[]
  readonly has_more: boolean
}

export type WebhookEndpointWithSecret = {
  readonly object: 'webhook_endpoint'
  readonly id: string
  readonly merchantId: string
  readonly url: string
  readonly description: string | null
  readonly eventTypes: readonly (
    | 'credit_note.issued'
    | 'customer.created'
    | 'customer.erased'
    | 'customer.merged'
    | 'dispute.opened'
    | 'dispute.resolved'
    | 'invoice.created'
    | 'invoice.finalized'
    | 'invoice.overdue'
    | 'invoice.paid'
    | 'invoice.payment_received'
    | 'invoice.reminder'
    | 'invoice.uncollectible'
    | 'invoice.voided'
    | 'payment.canceled'
    | 'payment.created'
    | 'payment.expired'
    | 'payment.failed'
    | 'payment.late'
    | 'payment.processing'
    | 'payment.succeeded'
    | 'payment.underpaid'
    | 'refund.canceled'
    | 'refund.failed'
    | 'refund.processed'
    | 'subscription.activated'
    | 'subscription.canceled'
    | 'subscription.completed'
    | 'subscription.created'
    | 'subscription.expired'
    | 'subscription.past_due'
    | 'subscription.paused'
    | 'subscription.renewed'
    | 'subscription.resumed'
    | 'subscription.trial_ending'
    | 'subscription.updated'
  )[]
  readonly status: 'disabled' | 'enabled'
  readonly disabledReason: 'by_merchant' | 'gone' | 'no_success' | null
  readonly inbox: boolean
  readonly livemode: boolean
  readonly createdAt: string
  readonly updatedAt: string
  readonly signingSecret: string
}

export type WebhookEndpoint = {
  readonly object: 'webhook_endpoint'
  readonly id: string
  readonly merchantId: string
  readonly url: string
  readonly description: string | null
  readonly eventTypes: readonly (
    | 'credit_note.issued'
    | 'customer.created'
    | 'customer.erased'
    | 'customer.merged'
    | 'dispute.opened'
    | 'dispute.resolved'
    | 'invoice.created'
    | 'invoice.finalized'
    | 'invoice.overdue'
    | 'invoice.paid'
    | 'invoice.payment_received'
    | 'invoice.reminder'
    | 'invoice.uncollectible'
    | 'invoice.voided'
    | 'payment.canceled'
    | 'payment.created'
    | 'payment.expired'
    | 'payment.failed'
    | 'payment.late'
    | 'payment.processing'
    | 'payment.succeeded'
    | 'payment.underpaid'
    | 'refund.canceled'
    | 'refund.failed'
    | 'refund.processed'
    | 'subscription.activated'
    | 'subscription.canceled'
    | 'subscription.completed'
    | 'subscription.created'
    | 'subscription.expired'
    | 'subscription.past_due'
    | 'subscription.paused'
    | 'subscription.renewed'
    | 'subscription.resumed'
    | 'subscription.trial_ending'
    | 'subscription.updated'
  )[]
  readonly status: 'disabled' | 'enabled'
  readonly disabledReason: 'by_merchant' | 'gone' | 'no_success' | null
  readonly inbox: boolean
  readonly livemode: boolean
  readonly createdAt: string
  readonly updatedAt: string
}

export type InboxRequestList = {
  readonly object: 'list'
  readonly data: readonly InboxRequest[]
  readonly has_more: boolean
}

export type WebhookDelivery = {
  readonly object: 'webhook_delivery'
  readonly id: string
  readonly eventId: string
  readonly eventType:
    | 'credit_note.issued'
    | 'customer.created'
    | 'customer.erased'
    | 'customer.merged'
    | 'dispute.opened'
    | 'dispute.resolved'
    | 'invoice.created'
    | 'invoice.finalized'
    | 'invoice.overdue'
    | 'invoice.paid'
    | 'invoice.payment_received'
    | 'invoice.reminder'
    | 'invoice.uncollectible'
    | 'invoice.voided'
    | 'payment.canceled'
    | 'payment.created'
    | 'payment.expired'
    | 'payment.failed'
    | 'payment.late'
    | 'payment.processing'
    | 'payment.succeeded'
    | 'payment.underpaid'
    | 'refund.canceled'
    | 'refund.failed'
    | 'refund.processed'
    | 'subscription.activated'
    | 'subscription.canceled'
    | 'subscription.completed'
    | 'subscription.created'
    | 'subscription.expired'
    | 'subscription.past_due'
    | 'subscription.paused'
    | 'subscription.renewed'
    | 'subscription.resumed'
    | 'subscription.trial_ending'
    | 'subscription.updated'
    | 'webhook_endpoint.test'
  readonly endpointId: string
  readonly status: 'canceled' | 'delivered' | 'failed' | 'pending'
  readonly nextAttemptAt: string | null
  readonly attempts: readonly {
    readonly durationMs: number | null
    readonly httpStatus: number | null
    readonly number: number
    readonly outcome:
      | 'bad_response'
      | 'body_too_large'
      | 'connection_failed'
      | 'delivered'
      | 'dns_failed'
      | 'forbidden_address'
      | 'http_error'
      | 'lost'
      | 'not_signed'
      | 'redirect'
      | 'timeout'
      | 'tls_failed'
      | null
    readonly requestHeaders: Readonly<Record<string, string>> | null
    readonly responseHeaders: Readonly<Record<string, string>> | null
    readonly responseSnippet: string | null
    readonly startedAt: string
    readonly trigger: 'automatic' | 'manual'
  }[]
  readonly livemode: boolean
  readonly createdAt: string
  readonly updatedAt: string
}

export type WebhookDeliveryList = {
  readonly object: 'list'
  readonly data: readonly WebhookDelivery[]
  readonly has_more: boolean
}

export type WebhookRecovery = {
  readonly object: 'webhook_recovery'
  readonly endpointId: string
  readonly since: string
  readonly deliveries: number
}

export type TransitionList = {
  readonly object: 'list'
  readonly data: readonly Transition[]
  readonly has_more: boolean
}

export type OpenedCheckout = {
  readonly payment: CheckoutPayment
  readonly clientSecret: string
}

export type Session = {
  readonly object: 'session'
  readonly id: string
  readonly current: boolean
  readonly address: string
  readonly userAgent: string | null
  readonly createdAt: string
  readonly lastUsedAt: string
}

export type Invite = {
  readonly object: 'invite'
  readonly id: string
  readonly merchantId: string
  readonly role: 'developer' | 'owner' | 'viewer'
  readonly email: string | null
  readonly status: 'expired' | 'pending'
  readonly createdBy: string
  readonly expiresAt: string
  readonly createdAt: string
  readonly updatedAt: string
}

export type SecurityEvent = {
  readonly object: 'security_event'
  readonly id: string
  readonly merchantId: string
  readonly actor: string
  readonly email: string | null
  readonly address: string | null
  readonly action: string
  readonly details: Readonly<Record<string, unknown>>
  readonly createdAt: string
  readonly updatedAt: string
}

export type ChainedDocument = {
  readonly id: string
  readonly number: string
  readonly documentHash: string
  readonly previousDocumentHash: string | null
}

export type AnalyticsTotal = {
  readonly currency: string
  readonly opened: number
  readonly picked: number
  readonly seen: number
  readonly succeeded: number
  readonly failed: number
  readonly expired: number
  readonly canceled: number
  readonly late: number
  readonly volumeMinor: number
  readonly refundsCount: number
  readonly refundedMinor: number
  readonly netMinor: number
  readonly conversionBps: number | null
  readonly successRateBps: number | null
  readonly payMs: {
    readonly p50: number
    readonly p95: number
  } | null
  readonly finalMs: {
    readonly p50: number
    readonly p95: number
  } | null
}

export type AnalyticsRow = {
  readonly currency: string
  readonly opened: number
  readonly picked: number
  readonly seen: number
  readonly succeeded: number
  readonly failed: number
  readonly expired: number
  readonly canceled: number
  readonly late: number
  readonly volumeMinor: number
  readonly refundsCount: number
  readonly refundedMinor: number
  readonly netMinor: number
  readonly conversionBps: number | null
  readonly successRateBps: number | null
  readonly payMs: {
    readonly p50: number
    readonly p95: number
  } | null
  readonly finalMs: {
    readonly p50: number
    readonly p95: number
  } | null
  readonly key: string | null
}

export type Balance = {
  readonly object: 'balance'
  readonly chainId: number
  readonly network: string
  readonly asset: string
  readonly tokenAddress: string | null
  readonly decimals: number
  readonly amount: string
  readonly addresses: number
  readonly treasury: string
  readonly livemode: boolean
}

export type Subscription = {
  readonly object: 'subscription'
  readonly id: string
  readonly merchantId: string
  readonly customerId: string
  readonly planId: string | null
  readonly source: 'checkout' | 'merchant'
  readonly verified: boolean
  readonly status: 'active' | 'canceled' | 'completed' | 'expired' | 'incomplete' | 'past_due' | 'paused' | 'trialing'
  readonly access: {
    readonly granted: boolean
    readonly until: string | null
  }
  readonly currency: string
  readonly taxBehavior: 'exclusive' | 'inclusive'
  readonly amountMinor: number
  readonly interval: 'day' | 'month' | 'week' | 'year'
  readonly intervalCount: number
  readonly anchorAt: string
  readonly periodIndex: number
  readonly periodStart: string | null
  readonly periodEnd: string | null
  readonly nextInvoiceAt: string | null
  readonly trialEndsAt: string | null
  readonly leadDays: number
  readonly graceDays: number
  readonly graceEndsAt: string | null
  readonly maxPeriods: number | null
  readonly activation: 'immediate' | 'on_payment'
  readonly afterGrace: 'cancel' | 'pause'
  readonly cancelAtPeriodEnd: boolean
  readonly pauseAtPeriodEnd: boolean
  readonly canceledAt: string | null
  readonly endedAt: string | null
  readonly endReason: 'completed' | 'customer' | 'incomplete' | 'requested' | 'unpaid' | null
  readonly resumesAt: string | null
  readonly pendingChange: {
    readonly amountMinor: number
    readonly periodIndex: number
    readonly planId: string | null
  } | null
  readonly openInvoiceId: string | null
  readonly latestInvoiceId: string | null
  readonly url: string | null
  readonly reference: string | null
  readonly testClockId: string | null
  readonly metadata: Readonly<Record<string, string>>
  readonly livemode: boolean
  readonly createdAt: string
  readonly updatedAt: string
}

export type Customer = {
  readonly object: 'customer'
  readonly id: string
  readonly merchantId: string
  readonly email: string
  readonly name: string | null
  readonly company: string | null
  readonly taxId: string | null
  readonly address: {
    readonly city: string
    readonly country: string
    readonly line1: string
    readonly line2: string | null
    readonly postalCode: string
    readonly state: string | null
  } | null
  readonly locale: string | null
  readonly reference: string | null
  readonly source: 'checkout' | 'merchant'
  readonly mergedIntoId: string | null
  readonly erasedAt: string | null
  readonly testClockId: string | null
  readonly metadata: Readonly<Record<string, string>>
  readonly livemode: boolean
  readonly createdAt: string
  readonly updatedAt: string
}

export type Invoice = {
  readonly object: 'invoice'
  readonly id: string
  readonly merchantId: string
  readonly customerId: string
  readonly number: string | null
  readonly status: 'draft' | 'open' | 'paid' | 'uncollectible' | 'void'
  readonly overdue: boolean
  readonly currency: string
  readonly taxBehavior: 'exclusive' | 'inclusive'
  readonly subtotalMinor: number
  readonly taxMinor: number
  readonly totalMinor: number
  readonly creditAppliedMinor: number
  readonly creditNotesMinor: number
  readonly amountPaidMinor: number
  readonly amountProcessingMinor: number
  readonly amountDueMinor: number
  readonly amountOverpaidMinor: number
  readonly amountRefundedMinor: number
  readonly uncreditedRefundsMinor: number
  readonly reference: string | null
  readonly orderNumber: string | null
  readonly notes: string | null
  readonly issuedAt: string | null
  readonly issueDate: string | null
  readonly dueDate: string | null
  readonly dueAt: string | null
  readonly paidAt: string | null
  readonly voidedAt: string | null
  readonly url: string | null
  readonly paymentLinkId: string | null
  readonly assets:
    | readonly {
        readonly asset: string
        readonly chainId: number
      }[]
    | null
  readonly subscription: {
    readonly id: string
    readonly periodEnd: string | null
    readonly periodIndex: number
    readonly periodStart: string | null
  } | null
  readonly creditNoteIds: readonly string[]
  readonly documentHash: string | null
  readonly previousDocumentHash: string | null
  readonly retainedUntil: string | null
  readonly metadata: Readonly<Record<string, string>>
  readonly livemode: boolean
  readonly createdAt: string
  readonly updatedAt: string
  readonly reminder?: {
    readonly offsetDays: number | null
  }
}

export type Payment = {
  readonly object: 'payment'
  readonly id: string
  readonly merchantId: string
  readonly method: 'crypto'
  readonly status: 'canceled' | 'expired' | 'failed' | 'pending' | 'processing' | 'success'
  readonly amountMinor: number
  readonly amountRefundedMinor: number
  readonly currency: string
  readonly customerEmail: string
  readonly customerName: string | null
  readonly failureReason:
    | 'amount_mismatch'
    | 'reverted'
    | 'underpaid'
    | 'wrong_asset'
    | 'wrong_chain'
    | 'wrong_recipient'
    | null
  readonly paymentLinkId: string
  readonly customerId: string | null
  readonly invoiceId: string | null
  readonly expiresAt: string
  readonly livemode: boolean
  readonly createdAt: string
  readonly updatedAt: string
  readonly reference: string | null
  readonly metadata: Readonly<Record<string, string>>
}

export type Refund = {
  readonly object: 'refund'
  readonly id: string
  readonly paymentId: string
  readonly merchantId: string
  readonly creditNoteId: string | null
  readonly amountMinor: number
  readonly currency: string
  readonly status: 'canceled' | 'failed' | 'processed' | 'processing' | 'requires_destination' | 'requires_signature'
  readonly reason:
    | 'duplicate'
    | 'fraudulent'
    | 'late_payment'
    | 'other'
    | 'overpayment'
    | 'requested_by_customer'
    | null
  readonly failureReason:
    | 'amount_mismatch'
    | 'dropped'
    | 'reverted'
    | 'unproven'
    | 'wrong_asset'
    | 'wrong_recipient'
    | null
  readonly destination: string | null
  readonly claimUrl: string | null
  readonly crypto: {
    readonly amount: string
    readonly asset: string
    readonly chainId: number
    readonly confirmations: number
    readonly tokenAddress: string | null
    readonly txHash: string | null
  }
  readonly unsignedTransaction: {
    readonly chainId: number
    readonly data: string
    readonly to: string
    readonly value: string
  } | null
  readonly metadata: Readonly<Record<string, string>>
  readonly livemode: boolean
  readonly createdAt: string
  readonly updatedAt: string
}

export type CreditNote = {
  readonly object: 'credit_note'
  readonly id: string
  readonly merchantId: string
  readonly invoiceId: string
  readonly customerId: string
  readonly number: string
  readonly reason:
    | 'cancellation'
    | 'duplicate'
    | 'order_change'
    | 'other'
    | 'product_unsatisfactory'
    | 'requested_by_customer'
  readonly currency: string
  readonly subtotalMinor: number
  readonly taxMinor: number
  readonly totalMinor: number
  readonly dueReducedMinor: number
  readonly creditMinor: number
  readonly refundsMinor: number
  readonly refundIds: readonly string[]
  readonly note: string | null
  readonly issuedAt: string
  readonly issueDate: string
  readonly documentHash: string
  readonly previousDocumentHash: string | null
  readonly livemode: boolean
  readonly createdAt: string
  readonly updatedAt: string
}

export type InboxRequest = {
  readonly object: 'inbox_request'
  readonly id: string
  readonly receivedAt: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly signatureValid: boolean
}

export type Transition = {
  readonly object: 'transition'
  readonly id: string
  readonly rev: number
  readonly event: string
  readonly from: string | null
  readonly to: string
  readonly at: string
  readonly cause: {
    readonly id: string | null
    readonly name: string | null
    readonly type: 'api_key' | 'chain' | 'customer' | 'member' | 'operator' | 'system' | 'timer'
  }
}

export type CheckoutPayment = {
  readonly object: 'payment'
  readonly id: string
  readonly merchantId: string
  readonly method: 'crypto'
  readonly status: 'canceled' | 'expired' | 'failed' | 'pending' | 'processing' | 'success'
  readonly amountMinor: number
  readonly amountRefundedMinor: number
  readonly currency: string
  readonly customerEmail: string
  readonly customerName: string | null
  readonly failureReason:
    | 'amount_mismatch'
    | 'reverted'
    | 'underpaid'
    | 'wrong_asset'
    | 'wrong_chain'
    | 'wrong_recipient'
    | null
  readonly paymentLinkId: string
  readonly expiresAt: string
  readonly livemode: boolean
  readonly createdAt: string
  readonly updatedAt: string
  readonly receiptUrl: string
  readonly crypto: {
    readonly address: string | null
    readonly amountExpected: string | null
    readonly amountReceived: string
    readonly asset: string | null
    readonly blockNumber: number | null
    readonly chainId: number | null
    readonly confirmations: number
    readonly confirmationsRequired: number | null
    readonly decimals: number | null
    readonly exception: 'late' | 'overpaid' | 'underpaid' | 'wrong_asset' | 'wrong_chain' | null
    readonly explorerUrl: string | null
    readonly network: string
    readonly payerAddress: string | null
    readonly paymentUri: string
    readonly quote: {
      readonly expiresAt: string | null
      readonly rate: string
      readonly source: string | null
    } | null
    readonly tokenAddress: string | null
    readonly transfers: readonly {
      readonly amount: string
      readonly blockHash: string
      readonly blockNumber: number
      readonly confirmations: number
      readonly from: string | null
      readonly logIndex: number | null
      readonly minedAt: string
      readonly state: 'final' | 'orphaned' | 'seen'
      readonly txHash: string | null
    }[]
    readonly txHash: string | null
  } | null
}
