import type {
  Account,
  ApiKey,
  Balance,
  BillingSettings,
  Collection,
  CreditEntry,
  CustomerWithTotals,
  Dispute,
  Event,
  InboxRequest,
  Invite,
  InvitePreview,
  InviteWithToken,
  InvoiceWithLines,
  Member,
  MfaSetup,
  PaymentLink,
  PaymentWithCrypto,
  RefundWithAttention,
  SecurityEvent,
  Session,
  Settings,
  Transition,
  VisitedLink,
  WebhookDelivery,
  WebhookEndpoint,
} from '../../../src/web/api/calls.ts'
import type { ShownChain } from '../../../src/web/dashboard/shell/shown-chain.ts'

/** Records as the API answers them, for pictures of the pages. */
export const merchantId = 'mer_06bt4m9x3kq7v5n2c8hd1wzrfe'

export const account: Account = {
  user: {
    id: 'usr_06bt4m9x3kq7v5n2c8hd1wzrfe',
    email: 'anna.lang@lampsandlight.com',
    mfaEnabled: false,
    operator: false,
  },
  merchants: [{ id: merchantId, name: 'Lamps & Light', role: 'owner' }],
}

const NOW = Date.parse('2026-11-25T14:32:00.000Z')
const ago = (minutes: number): string => new Date(NOW - minutes * 60_000).toISOString()

type Crypto = NonNullable<PaymentWithCrypto['crypto']>
type Transfer = Crypto['transfers'][number]

const transfer = (amount: string, more: Partial<Transfer> = {}): Transfer => ({
  ...{ amount, blockHash: `0x${'7f'.repeat(32)}`, blockNumber: 38_202_114, confirmations: 12, logIndex: 3 },
  ...{ from: '0x8652A0c5E7B1a5C3b51B9D3aE81FA2b8C3d9d9fD', minedAt: ago(7), state: 'final' },
  txHash: `0x7381${'ab'.repeat(28)}ba14`,
  ...more,
})

const crypto = (more: Partial<Crypto> = {}): Crypto => ({
  ...{
    address: '0x1D59C352f1E64AC84BfD0435CC6eC6B72C70d477',
    amountExpected: '237440000',
    amountReceived: '237440000',
  },
  ...{ asset: 'USDC', blockNumber: 38_202_114, chainId: 8453, confirmations: 12, confirmationsRequired: 12 },
  ...{ decimals: 6, exception: null, network: 'Base', payerAddress: '0x8652A0c5E7B1a5C3b51B9D3aE81FA2b8C3d9d9fD' },
  explorerUrl: `https://basescan.org/tx/0x7381${'ab'.repeat(28)}ba14`,
  paymentUri: 'ethereum:0x1D59C352f1E64AC84BfD0435CC6eC6B72C70d477@8453',
  quote: { rate: '1.0842', source: 'median of three sources', expiresAt: ago(-10) },
  tokenAddress: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  transfers: [transfer('237440000')],
  txHash: `0x7381${'ab'.repeat(28)}ba14`,
  ...more,
})

const nothingYet = { amountReceived: '0', transfers: [], txHash: null, blockNumber: null, confirmations: 0 }

let count = 0
const payment = (customerEmail: string, amountMinor: number, more: Partial<PaymentWithCrypto>): PaymentWithCrypto => {
  const n = ++count
  return {
    ...{ object: 'payment', id: `pay_06bt4m9x3kq7v5n2c8hd1wzr${String(n).padStart(2, '0')}`, merchantId },
    ...{
      method: 'crypto',
      status: 'success',
      attention: false,
      amountMinor,
      amountRefundedMinor: 0,
      currency: 'EUR',
      customerEmail,
    },
    ...{ customerName: null, customerId: null, invoiceId: null, invoiceNumber: null, failureReason: null },
    paymentLinkId: 'plink_06bt4m9x3kq7v5n2c8hd1wzrfe',
    ...{ expiresAt: ago(-28), livemode: true, createdAt: ago(3 + 17 * n), updatedAt: ago(2 + 17 * n) },
    ...{ reference: `LL-204${30 - n}`, metadata: {}, receiptUrl: null, crypto: crypto() },
    ...more,
  }
}

const partly = [transfer('236440000')]

/** One payment in each state. */
export const payments: Readonly<Record<string, PaymentWithCrypto>> = {
  waiting: payment('mia.koch@posteo.de', 4_900, { status: 'pending', crypto: null }),
  confirming: payment('j.okafor@studio-okafor.com', 12_800, {
    status: 'processing',
    crypto: crypto({
      confirmations: 7,
      network: 'Ethereum',
      transfers: [transfer('237440000', { confirmations: 7, state: 'seen' })],
    }),
  }),
  underpaid: payment('n.haddad@web.de', 21_900, {
    status: 'pending',
    crypto: crypto({ exception: 'underpaid', amountReceived: '236440000', transfers: partly }),
  }),
  paid: payment('henrik.lund@fastmail.com', 21_900, {
    ...{ customerName: 'Henrik Lund', customerId: 'cus_06bt4m9x3kq7v5n2c8hd1wzr01' },
    ...{ metadata: { cart: 'c_88f1', gift_note: 'yes' } },
    crypto: crypto({
      transfers: [transfer('1000000', { txHash: `0x23fc${'ab'.repeat(28)}1913` }), transfer('236440000')],
    }),
    receiptUrl: 'https://pay.lampsandlight.com/receipts/pay_1?s=1',
  }),
  expired: payment('no.reply.42@proton.me', 6_400, { status: 'expired', crypto: null }),
  refunded: payment('claire@maison-aubert.fr', 34_900, { amountRefundedMinor: 4_900 }),
  overpaid: payment('einkauf@hotel-seeblick.de', 124_000, {
    attention: true,
    crypto: crypto({ exception: 'overpaid', amountReceived: '247440000', transfers: [transfer('247440000')] }),
  }),
  late: payment('p.novakova@seznam.cz', 8_900, {
    ...{ status: 'expired', attention: true },
    crypto: crypto({ exception: 'late', amountExpected: '96490000', amountReceived: '96490000', asset: 'USDC' }),
  }),
  failed: payment('d.marques@sapo.pt', 7_900, {
    ...{ status: 'failed', failureReason: 'reverted', reference: null },
    crypto: crypto({ ...nothingYet, asset: 'USDT', network: 'Polygon' }),
  }),
  canceled: payment('lars.b@mailbox.org', 4_900, { status: 'canceled', crypto: null }),
  long: payment(
    'a.very.long.address.of.a.customer.with.many.names@departments.of-a-large-company.example',
    999_999_999,
    {
      reference: 'PO-2026-11-25/department-of-lighting/0000004711-revision-3',
      crypto: crypto({
        asset: 'ETH',
        decimals: 18,
        network: 'Arbitrum One',
        amountExpected: '5021345678901234567',
        amountReceived: '5021345678901234567',
      }),
    },
  ),
}

const link = (n: number, more: Partial<PaymentLink>): PaymentLink => ({
  ...{ object: 'payment_link', id: `plink_06bt4m9x3kq7v5n2c8hd1wzr0${n}`, merchantId, status: 'active' },
  url: `https://pay.lampsandlight.com/pay/plink_06bt4m9x3kq7v5n2c8hd1wzr0${n}`,
  ...{
    amountMinor: 4_900,
    currency: 'EUR',
    title: 'Paper lantern, 40 cm',
    description: 'Handmade, ships in two days.',
  },
  ...{ reference: `LL-2041${n}`, assets: null, maxPayments: null, paymentsCount: 3, windowMinutes: 30 },
  ...{ expiresAt: null, successUrl: null, metadata: {}, hidden: false, livemode: true, deactivatedAt: null },
  ...{ createdAt: ago(1_000 * n), updatedAt: ago(900 * n) },
  ...more,
})

export const links: readonly PaymentLink[] = [
  link(1, {}),
  link(2, { title: 'Brass desk lamp', amountMinor: 21_900, maxPayments: 1, paymentsCount: 0 }),
  link(3, { title: null, description: null, reference: null, status: 'completed', maxPayments: 1, paymentsCount: 1 }),
  link(4, { title: 'Summer sale', status: 'deactivated', deactivatedAt: ago(500) }),
  link(5, {
    title: 'Reservation of the large chandelier in the hall of mirrors',
    status: 'expired',
    expiresAt: ago(60),
  }),
]

const key = (n: number, more: Partial<ApiKey>): ApiKey => ({
  ...{ object: 'api_key', id: `key_06bt4m9x3kq7v5n2c8hd1wzr0${n}`, merchantId, name: 'Shop server', tag: 'aaaa' },
  ...{ scopes: ['payments:read', 'payment_links:write'], last4: `b4${n}e`, livemode: true, lastUsedAt: ago(1) },
  ...{ expiresAt: null, revokedAt: null, createdAt: ago(9_000), updatedAt: ago(9_000) },
  ...more,
})

export const keys: readonly ApiKey[] = [
  key(1, {}),
  key(2, { name: 'Bookkeeping', scopes: ['payments:read'], expiresAt: ago(-9_000) }),
  key(3, { name: "Anna's laptop", scopes: ['*'], lastUsedAt: null }),
  key(4, { name: 'Old plugin', scopes: ['payments:read', 'refunds:write'], revokedAt: ago(40_000) }),
]

const endpoint = (n: number, more: Partial<WebhookEndpoint>): WebhookEndpoint => ({
  ...{ object: 'webhook_endpoint', id: `whe_06bt4m9x3kq7v5n2c8hd1wzr0${n}`, merchantId, livemode: true },
  ...{ url: 'https://shop.lampsandlight.com/hooks/pay', description: null, status: 'enabled', disabledReason: null },
  inbox: false,
  ...{ eventTypes: ['payment.succeeded', 'payment.failed', 'refund.processed'] },
  ...{ createdAt: ago(30_000), updatedAt: ago(30_000) },
  ...more,
})

export const endpoints: readonly WebhookEndpoint[] = [
  endpoint(1, {}),
  endpoint(2, {
    url: 'https://erp.lampsandlight.com/in',
    description: 'Bookkeeping',
    eventTypes: ['payment.succeeded'],
  }),
  endpoint(3, { url: 'https://webhook.site/3f0c-old', status: 'disabled', disabledReason: 'gone' }),
]

const member = (n: number, email: string, more: Partial<Member>): Member => ({
  ...{ object: 'member', id: `usr_06bt4m9x3kq7v5n2c8hd1wzr0${n}`, merchantId, email, role: 'viewer', mfaEnabled: true },
  ...{ createdAt: ago(30_000 * n), updatedAt: ago(30_000 * n) },
  ...more,
})

export const members: readonly Member[] = [
  member(1, 'buero@kanzlei-kern.de', { mfaEnabled: false }),
  member(2, 'the.department.of.lighting.and.electrical.installations@lampsandlight.com', { role: 'developer' }),
  member(3, account.user.email, { id: account.user.id, role: 'owner' }),
]

const invited = (n: number, more: Partial<Invite>): Invite => ({
  ...{ object: 'invite', id: `inv_06bt4m9x3kq7v5n2c8hd1wzr0${n}`, merchantId, email: null, role: 'viewer' },
  ...{ status: 'pending', createdBy: account.user.id, expiresAt: ago(-9_000) },
  ...{ createdAt: ago(900 * n), updatedAt: ago(900 * n) },
  ...more,
})

export const invitePreview: InvitePreview = {
  ...{ merchantName: 'Lamps & Light', role: 'developer', hasEmail: true, expiresAt: ago(-9_000) },
}

export const invites: readonly Invite[] = [
  invited(1, { email: 'mira@lampsandlight.com', role: 'developer' }),
  invited(2, {}),
  invited(3, { status: 'expired', expiresAt: ago(500) }),
]

export const newInvite: InviteWithToken = {
  ...invited(4, { email: 'mira@lampsandlight.com', role: 'developer' }),
  url: 'https://pay.lampsandlight.com/dashboard/invite#h3mTq1n0v8c2k5z7x9w4b6y0s3d5f7g9j1l2p4r6t8',
  token: 'h3mTq1n0v8c2k5z7x9w4b6y0s3d5f7g9j1l2p4r6t8',
}

export const sessions: readonly Session[] = [
  {
    ...{ object: 'session', id: 'sess_1', current: true, address: '203.0.113.7', createdAt: ago(9_000) },
    userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
    lastUsedAt: ago(0),
  },
  {
    ...{
      object: 'session',
      id: 'sess_2',
      current: false,
      address: '2001:db8:85a3::8a2e:370:7334',
      createdAt: ago(20_000),
    },
    userAgent: 'Mozilla/5.0 (iPhone; CPU iPhone OS 26_0 like Mac OS X) AppleWebKit/605.1.15 Version/26.0 Safari/604.1',
    lastUsedAt: ago(800),
  },
  {
    ...{ object: 'session', id: 'sess_3', current: false, address: '198.51.100.20', createdAt: ago(40_000) },
    ...{ userAgent: null, lastUsedAt: ago(30_000) },
  },
]

export const mfaSetup: MfaSetup = {
  secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
  otpauthUrl:
    'otpauth://totp/paymachine:anna.lang@lampsandlight.com?issuer=paymachine&secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&algorithm=SHA1&digits=6&period=30',
}

export const recoveryCodes: readonly string[] = Array.from({ length: 10 }, (_, n) => `4x7k-m2p${n}-w9tz-h3b${n}`)
export const inbox = endpoint(4, {
  inbox: true,
  livemode: false,
  url: `https://pay.lampsandlight.com/sandbox/inbox/${'k3vXq9Z'.repeat(6)}k`,
})

const eventId = (n: number) => `019ab8f2-2b25-7afc-83d2-26039a4070f${n}`

const attempt = (
  number: number,
  more: Partial<WebhookDelivery['attempts'][number]>,
): WebhookDelivery['attempts'][number] => ({
  ...{ number, trigger: 'automatic', startedAt: ago(10 - number), durationMs: 184, outcome: 'delivered' },
  ...{ httpStatus: 200, responseSnippet: '{"ok":true}' },
  requestHeaders: {
    'Content-Type': 'application/json',
    'Service-Signature': 't=1795613412,v1=…',
    'webhook-id': eventId(1),
  },
  responseHeaders: { 'content-type': 'application/json', server: 'nginx' },
  ...more,
})

const badAnswer: Partial<WebhookDelivery['attempts'][number]> = {
  ...{ outcome: 'http_error', httpStatus: 500, durationMs: 1_204 },
  responseHeaders: { 'content-type': 'text/html', server: 'nginx' },
  responseSnippet:
    "<h1>Application error</h1>\n<pre>TypeError: Cannot read properties\n  of undefined (reading 'orderId')\n  at hooks/pay.js:41:18</pre>",
}

const delivery = (n: number, more: Partial<WebhookDelivery>): WebhookDelivery => ({
  ...{ object: 'webhook_delivery', id: `whd_06bt4m9x3kq7v5n2c8hd1wzr0${n}`, eventId: eventId(n), livemode: true },
  ...{ eventType: 'payment.succeeded', endpointId: endpoints[0]?.id ?? '', status: 'delivered', nextAttemptAt: null },
  ...{ attempts: [attempt(1, {})], createdAt: ago(12 * n), updatedAt: ago(11 * n) },
  ...more,
})

export const deliveries: readonly WebhookDelivery[] = [
  delivery(1, { status: 'pending', nextAttemptAt: ago(-1), attempts: [attempt(1, badAnswer), attempt(2, badAnswer)] }),
  delivery(2, { eventType: 'payment.processing' }),
  delivery(3, {
    ...{ eventType: 'refund.processed', status: 'failed', endpointId: endpoints[1]?.id ?? '' },
    attempts: [1, 2, 3, 4, 5].map(each =>
      attempt(each, {
        ...{ outcome: 'timeout', httpStatus: null, durationMs: 15_000 },
        ...{ responseHeaders: null, responseSnippet: null },
      }),
    ),
  }),
  delivery(4, { eventType: 'webhook_endpoint.test', attempts: [attempt(1, { trigger: 'manual' })] }),
  delivery(5, { status: 'canceled', attempts: [], endpointId: endpoints[2]?.id ?? '' }),
  delivery(6, { status: 'pending', attempts: [], nextAttemptAt: ago(0) }),
]

const event = (n: number, type: Event['type'], object: Event['data']['object']): Event => ({
  ...{ object: 'event', id: eventId(n), type, created: NOW / 1_000 - 700 * n, livemode: true },
  ...{ api_version: '2026-11-20', data: { object } },
})

const {
  crypto: _crypto,
  attention: _attention,
  method,
  receiptUrl: _receiptUrl,
  ...paid
} = payments.paid ?? payment('', 0, {})

export const events: readonly Event[] = [
  event(1, 'payment.succeeded', { ...paid, method }),
  event(2, 'payment.processing', { ...paid, method }),
  event(3, 'payment.created', { ...paid, method }),
  event(4, 'webhook_endpoint.test', endpoints[0] ?? inbox),
]

export const inboxRequests: readonly InboxRequest[] = [1, 2, 3].map(n => ({
  ...{ object: 'inbox_request', id: eventId(n), receivedAt: ago(3 * n), signatureValid: n < 3 },
  headers: {
    'content-type': 'application/json',
    'service-signature': `t=1795613412,v1=${'5a0ec41b'.repeat(8)}`,
    host: 'pay.lampsandlight.com',
  },
  body: n === 3 ? 'hello' : JSON.stringify(events[n - 1]),
}))

export const settings: Settings = {
  ...{ object: 'settings', id: merchantId, merchantId, livemode: true, name: 'Lamps & Light' },
  branding: {
    ...{ accentColor: '#ffcc00', logoUrl: null },
    ...{ supportEmail: 'help@lampsandlight.com', supportUrl: null },
  },
  receivingAddress: '0x52908400098527886E0F7030069857D2E4169EE7',
  receivingAddresses: { 137: '0x8617E340B3D01FA5F11F306F4090FD50E238070D' },
  ...{ confirmations: { 1: 24 }, toleranceBps: 50, latePolicy: 'accept_stablecoins', refundMode: 'manual' },
  ...{ createdAt: ago(90_000), updatedAt: ago(900) },
}

export const networks = [
  { chainId: 8453, isContract: false },
  { chainId: 1, isContract: true },
  { chainId: 137, isContract: false },
  { chainId: 42161, isContract: null },
]

const securityEvent = (
  n: number,
  action: string,
  details: object,
  more: Partial<SecurityEvent> = {},
): SecurityEvent => ({
  ...{ object: 'security_event', id: `019abc00-5d00-7c3e-9a51-1f2f5fd7b0a${n}`, merchantId, actor: account.user.id },
  ...{ email: account.user.email, address: '203.0.113.7', action, details: { ...details } },
  ...{ createdAt: ago(700 * n), updatedAt: ago(700 * n) },
  ...more,
})

export const securityEvents: readonly SecurityEvent[] = [
  securityEvent(1, 'settings.changed', {
    livemode: true,
    changed: { receivingAddress: { from: null, to: settings.receivingAddress }, toleranceBps: { from: 0, to: 50 } },
  }),
  securityEvent(2, 'session.stepped_up', {}),
  securityEvent(3, 'invite.created', { role: 'developer', email: 'mira@lampsandlight.com' }),
  securityEvent(4, 'sign_in.failed', { reason: 'password' }, { address: '2001:db8:85a3::8a2e:370:7334' }),
  securityEvent(5, 'webhook_endpoint.disabled', {}, { actor: 'service', email: null, address: null }),
  securityEvent(6, 'api_key.created', { keyId: 'key_06bt4m9x3kq7v5n2c8hd1wzr01' }),
]

const transition = (
  rev: number,
  event: string,
  [from, to]: readonly [string | null, string],
  cause: Partial<Transition['cause']>,
): Transition => ({
  ...{ object: 'transition', id: `pay_06bt4m9x3kq7v5n2c8hd1wzr04:${rev}`, rev, event, from, to, at: ago(30 - rev) },
  cause: { type: 'chain', id: null, name: null, ...cause },
})

export const history: readonly Transition[] = [
  transition(6, 'reserve_refund', ['success', 'success'], { type: 'member', name: 'anna.lang@lampsandlight.com' }),
  transition(5, 'finalized', ['processing', 'success'], {}),
  transition(4, 'enough_seen', ['pending', 'processing'], {}),
  transition(3, 'too_little_seen', ['pending', 'pending'], {}),
  transition(2, 'asset_picked', ['pending', 'pending'], { type: 'customer' }),
  transition(1, 'open', [null, 'pending'], { type: 'customer' }),
]

export const options: readonly VisitedLink['options'][number][] = [
  { asset: 'EURC', chainId: 8453, network: 'Base', amount: '49000000', decimals: 6, networkFeeMinor: 1 },
  { asset: 'USDC', chainId: 1, network: 'Ethereum', amount: '53120000', decimals: 6, networkFeeMinor: 84 },
  {
    asset: 'ETH',
    chainId: 42161,
    network: 'Arbitrum One',
    amount: '14800000000000000',
    decimals: 18,
    networkFeeMinor: null,
  },
].map(each => ({ ...each, quoteExpiresAt: null, tokenAddress: null }))

const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'

const chain = (chainId: number, network: string, livemode: boolean): ShownChain => ({
  ...{ chainId, network, livemode, isSandbox: !livemode, native: { asset: 'ETH', decimals: 18 } },
  tokens: [{ asset: 'USDC', address: USDC, decimals: 6 }],
  ...{ confirmations: 12, explorerUrl: 'https://basescan.org', publicNode: null },
})

export const chains: readonly ShownChain[] = [
  chain(8453, 'Base', true),
  chain(1, 'Ethereum', true),
  chain(137, 'Polygon', true),
  chain(42161, 'Arbitrum One', true),
  chain(31337, 'Sandbox', false),
]

const refund = (n: number, amountMinor: number, more: Partial<RefundWithAttention>): RefundWithAttention => ({
  ...{ object: 'refund', id: `re_06bt4m9x3kq7v5n2c8hd1wzr0${n}`, merchantId, currency: 'EUR', amountMinor },
  ...{ paymentId: payments.paid?.id ?? '', status: 'requires_signature', reason: 'requested_by_customer' },
  ...{ failureReason: null, destination: '0x8652A0c5E7B1a5C3b51B9D3aE81FA2b8C3d9d9fD', claimUrl: null },
  creditNoteId: null,
  crypto: {
    ...{ amount: String(amountMinor * 10_842), asset: 'USDC', chainId: 8453, confirmations: 0, tokenAddress: USDC },
    txHash: null,
  },
  unsignedTransaction: null,
  ...{ metadata: {}, livemode: true, attention: false, createdAt: ago(60 * n), updatedAt: ago(20 * n) },
  ...more,
})

const sent = (amountMinor: number, confirmations: number) => ({
  crypto: {
    ...{ amount: String(amountMinor * 10_842), asset: 'USDC', chainId: 8453, confirmations, tokenAddress: USDC },
    txHash: `0x${'3e'.repeat(32)}`,
  },
})

const unsignedTransaction = { chainId: 8453, to: USDC, data: '0xa9059cbb', value: '0' }

export const refunds: Readonly<Record<string, RefundWithAttention>> = {
  unclear: refund(1, 12_000, { ...sent(12_000, 0), status: 'processing', attention: true }),
  sign: refund(2, 2_000, { unsignedTransaction }),
  'sign-other': refund(3, 5_700, { unsignedTransaction, reason: 'overpayment', metadata: { ticket: 'T-118' } }),
  signer: refund(4, 900, { reason: null }),
  failed: refund(5, 3_500, { ...sent(3_500, 12), status: 'failed', failureReason: 'reverted', reason: 'duplicate' }),
  address: refund(6, 1_000, {
    ...{ status: 'requires_destination', destination: null },
    claimUrl: 'https://pay.lampsandlight.com/claims/9aQx4mT7vK2pLr8WnE3sYb6HdJ1cZuGf',
  }),
  confirming: refund(7, 4_900, { ...sent(4_900, 5), status: 'processing' }),
  done: refund(8, 12_800, { ...sent(12_800, 12), status: 'processed', reason: 'late_payment' }),
  canceled: refund(9, 2_450, { status: 'canceled', reason: 'other' }),
}

export const refundHistory: readonly Transition[] = [
  transition(3, 'transaction_sent', ['requires_signature', 'processing'], {
    ...{ type: 'member', name: 'anna.lang@lampsandlight.com' },
  }),
  transition(2, 'destination_named', ['requires_destination', 'requires_signature'], { type: 'customer' }),
  transition(1, 'open', [null, 'requires_destination'], { type: 'member', name: 'anna.lang@lampsandlight.com' }),
]

const dispute = (n: number, more: Partial<Dispute>): Dispute => ({
  ...{ object: 'dispute', id: `dp_06bt4m9x3kq7v5n2c8hd1wzr0${n}`, merchantId, paymentId: payments.paid?.id ?? '' },
  ...{ amountMinor: 21_900, currency: 'EUR', reason: 'product_not_received', status: 'needs_response' },
  evidence: { uncategorizedText: null, customerCommunication: null, shippingTrackingNumber: null, refundPolicy: null },
  ...{ evidenceDueBy: ago(-9_000), outcome: null, livemode: false, createdAt: ago(500 * n), updatedAt: ago(400 * n) },
  ...more,
})

const evidence = {
  uncategorizedText: 'The lamp was delivered on 20 November. The customer has signed for it.',
  customerCommunication: '“Thank you, it arrived. It looks lovely above the table.” – 21 November',
  shippingTrackingNumber: '00340434161094027318',
  refundPolicy: null,
}

export const disputes: readonly Dispute[] = [
  dispute(1, {}),
  dispute(2, { status: 'under_review', evidence, reason: 'fraudulent', amountMinor: 4_900 }),
  dispute(3, { status: 'won', outcome: 'won', evidence, reason: 'product_unacceptable' }),
  dispute(4, { status: 'lost', outcome: 'lost', reason: 'duplicate', amountMinor: 1_250 }),
]

export const disputeHistory: readonly Transition[] = [
  transition(2, 'evidence_given', ['needs_response', 'needs_response'], {
    ...{ type: 'member', name: 'anna.lang@lampsandlight.com' },
  }),
  transition(1, 'open', [null, 'needs_response'], { type: 'member', name: 'anna.lang@lampsandlight.com' }),
]

const treasury = '0x8428A18c68eFE0B7D3E41DEb9E8aab59BB118C5c'

const balance = (asset: string, amount: string, addresses: number): Balance => ({
  ...{ object: 'balance', chainId: 8453, network: 'Base', asset, amount, addresses, treasury, livemode: true },
  ...(asset === 'ETH' ? { tokenAddress: null, decimals: 18 } : { tokenAddress: USDC, decimals: 6 }),
})

export const balances: readonly Balance[] = [
  balance('USDC', '12408550000', 214),
  balance('ETH', '1148000000000000000', 9),
  balance('EURC', '49000000', 1),
]

export const collection: Collection = {
  ...{ object: 'collection', chainId: 8453, network: 'Base', asset: 'USDC', treasury, step: 'collect' },
  unsignedTransaction: { chainId: 8453, to: treasury, data: '0x', value: '0', gas: 9_120_000 },
  ...{ addresses: 200, gasPerAddress: 45_000, remaining: 14, otherTreasuries: [], livemode: true },
  amounts: [{ addresses: 200, amount: '11800000000', asset: 'USDC', decimals: 6, tokenAddress: USDC }],
  leftOut: [
    {
      ...{ addresses: 2, amount: '98000000', asset: 'USDC', decimals: 6, tokenAddress: USDC },
      ...{ reason: 'payment_open', treasury },
    },
  ],
}

type Totals = CustomerWithTotals['totals'][number]

const total = (currency: string, paymentsCount: number, volumeMinor: number, more: Partial<Totals> = {}): Totals => ({
  ...{ currency, paymentsCount, volumeMinor, refundedMinor: 0, openMinor: 0, overdueMinor: 0, creditMinor: 0 },
  ...{ firstPaymentAt: ago(200_000), lastPaymentAt: ago(900) },
  ...more,
})

const customer = (n: number, email: string, more: Partial<CustomerWithTotals>): CustomerWithTotals => ({
  ...{ object: 'customer', id: `cus_06bt4m9x3kq7v5n2c8hd1wzr0${n}`, merchantId, email, aliases: [], livemode: true },
  ...{ name: null, company: null, taxId: null, address: null, locale: null, reference: null, source: 'checkout' },
  ...{ totals: [], mergedIntoId: null, erasedAt: null, testClockId: null, metadata: {} },
  ...{ createdAt: ago(4_000 * n), updatedAt: ago(3_000 * n) },
  ...more,
})

export const customers: readonly CustomerWithTotals[] = [
  customer(1, 'henrik.lund@fastmail.com', {
    ...{ name: 'Henrik Lund', company: 'Lund Interiors', taxId: 'DK13585628', locale: 'en', source: 'merchant' },
    address: {
      ...{
        line1: 'Nørregade 12',
        line2: '2. sal',
        city: 'København K',
        postalCode: '1165',
        state: null,
        country: 'DK',
      },
    },
    ...{ reference: 'account 7', metadata: { tier: 'gold' }, aliases: ['lund@studio.example'] },
    totals: [
      total('EUR', 12, 148_700, { refundedMinor: 4_900, openMinor: 21_900, overdueMinor: 4_900, creditMinor: 1_500 }),
      total('USD', 1, 9_900, { lastPaymentAt: ago(30_000) }),
    ],
  }),
  customer(2, 'einkauf@hotel-seeblick.de', { company: 'Hotel Seeblick', totals: [total('EUR', 2, 248_000)] }),
  customer(3, 'mia.koch@posteo.de', {}),
  customer(4, 'a.very.long.address.of.a.customer.with.many.names@departments.of-a-large-company.example', {
    name: 'The Department of Lighting and Electrical Installations of a Large Company',
    ...{ reference: 'PO-2026-11-25/department-of-lighting/0000004711-revision-3' },
    totals: [total('EUR', 1_204, 99_999_999_999, { creditMinor: 1_234_567_890 })],
  }),
  customer(5, 'lund@studio.example', { name: 'H. Lund', mergedIntoId: 'cus_06bt4m9x3kq7v5n2c8hd1wzr01' }),
]

const credit = (n: number, amountMinor: number, balanceMinor: number, more: Partial<CreditEntry>): CreditEntry => ({
  ...{ object: 'credit_entry', id: `ce_06bt4m9x3kq7v5n2c8hd1wzr0${n}`, customerId: customers[0]?.id ?? '' },
  ...{ currency: 'EUR', type: 'adjustment', amountMinor, balanceMinor, note: null, createdAt: ago(700 * n) },
  ...{ invoiceId: null, paymentId: null, creditNoteId: null },
  ...more,
})

export const creditEntries: readonly CreditEntry[] = [
  credit(1, -2_000, 1_500, { type: 'applied' }),
  credit(2, 2_500, 3_500, { note: 'Goodwill for the late delivery of the brass desk lamp in November' }),
  credit(3, 1_000, 1_000, { type: 'overpayment' }),
]

export const billingSettings: BillingSettings = {
  ...{ object: 'billing_settings', id: merchantId, merchantId, livemode: true },
  ...{ legalName: 'Lamps & Light GmbH', taxId: 'DE811907980', timeZone: 'Europe/Berlin' },
  address: { line1: 'Lindenallee 4', line2: null, city: 'Leipzig', postalCode: '04109', state: null, country: 'DE' },
  ...{ invoicePrefix: 'INV', creditNotePrefix: 'CN', numberPattern: '{prefix}-{year}-{number:4}', restart: 'yearly' },
  ...{
    nextNumber: 7,
    nextCreditNoteNumber: 3,
    daysUntilDue: 14,
    taxRateBps: 1_900,
    taxBehavior: 'exclusive',
    reminders: [-3, 0, 7, 14],
  },
  ...{ notes: null, retentionYears: 10, createdAt: ago(90_000), updatedAt: ago(900) },
}

const hotelAddress = {
  ...{ line1: 'Seestraße 4', line2: null, city: 'Lindau', postalCode: '88131', state: null, country: 'DE' },
}

const invoiceLine = (n: number, more: Partial<InvoiceWithLines['lines'][number]> = {}) => ({
  ...{ id: `line_${n}`, description: 'Paper lantern, 60 cm', quantity: '12', unitAmountMinor: 6_900 },
  ...{ amountMinor: 82_800, taxRateBps: 1_900, taxCategory: 'standard' as const, taxNote: null },
  ...{ periodStart: null, periodEnd: null, ...more },
})

const threeLines = [
  invoiceLine(1),
  invoiceLine(2, {
    ...{ description: 'Pendant cable, black, 3 m', unitAmountMinor: 1_650, amountMinor: 19_800 },
    ...{ periodStart: '2026-11-01', periodEnd: '2026-11-30' },
  }),
  invoiceLine(3, { description: 'Shipping', quantity: '1', unitAmountMinor: 1_602, amountMinor: 1_602 }),
]

const invoice = (n: number, more: Partial<InvoiceWithLines> = {}): InvoiceWithLines => ({
  ...{ object: 'invoice', id: `inv_06bt4m9x3kq7v5n2c8hd1wzr${String(n).padStart(2, '0')}`, merchantId },
  ...{ customerId: 'cus_06bt4m9x3kq7v5n2c8hd1wzr01', number: `INV-2026-04${20 - n}`, status: 'open', overdue: false },
  ...{ currency: 'EUR', taxBehavior: 'exclusive', lines: threeLines },
  taxes: [{ taxCategory: 'standard', taxRateBps: 1_900, netMinor: 104_202, taxMinor: 19_798 }],
  ...{ subtotalMinor: 104_202, taxMinor: 19_798, totalMinor: 124_000, creditAppliedMinor: 0, creditNotesMinor: 0 },
  ...{ amountPaidMinor: 0, amountProcessingMinor: 0, amountDueMinor: 124_000, amountOverpaidMinor: 0 },
  ...{ amountRefundedMinor: 0, uncreditedRefundsMinor: 0, allocations: [], reference: 'HS-118', orderNumber: null },
  ...{ notes: 'Thank you for your order.', issuedAt: ago(1_440 * n), issueDate: '2026-11-11', dueDate: '2026-12-02' },
  ...{ dueAt: '2026-12-02T22:59:59.999Z', paidAt: null, voidedAt: null, paymentLinkId: null, assets: null },
  url: 'https://pay.lampsandlight.com/invoices/ABWlp3xkq7v5n2c8hd1wzrfe0123456789abcdefghi',
  ...{ subscription: null, creditNoteIds: [], daysUntilDue: null, reminderOffsets: null },
  reminders: [{ offsetDays: 7, at: '2026-12-09T08:00:00.000Z', sentAt: null }],
  ...{
    documentHash: '21'.repeat(32),
    previousDocumentHash: '7e'.repeat(32),
    retainedUntil: '2036-12-31T22:59:59.999Z',
  },
  seller: { legalName: 'Lamps & Light GmbH', taxId: 'DE123456789', address: hotelAddress },
  customer: {
    ...{ email: 'einkauf@hotel-seeblick.de', name: null, company: 'Hotel Seeblick GmbH', taxId: 'DE811907344' },
    ...{ address: hotelAddress, locale: 'de' },
  },
  ...{ metadata: {}, livemode: true, createdAt: ago(1_440 * n + 8), updatedAt: ago(1_440 * n) },
  ...more,
})

const noDocument = {
  ...{ number: null, issuedAt: null, issueDate: null, dueDate: null, dueAt: null, url: null, seller: null },
  ...{ customer: null, documentHash: null, previousDocumentHash: null, retainedUntil: null, reminders: [] },
}

/** One invoice in each state. */
export const invoices = {
  draft: invoice(1, { ...noDocument, status: 'draft', reference: null }),
  open: invoice(2, { reference: null }),
  partly: invoice(3, { amountPaidMinor: 80_000, amountDueMinor: 44_000 }),
  confirming: invoice(4, { amountProcessingMinor: 124_000 }),
  overdue: invoice(5, {
    ...{ overdue: true, dueDate: '2026-11-15', amountPaidMinor: 80_000, amountDueMinor: 44_000 },
  }),
  paid: invoice(6, { status: 'paid', amountPaidMinor: 124_000, amountDueMinor: 0, paidAt: ago(300) }),
  uncollectible: invoice(7, { status: 'uncollectible', dueDate: '2026-09-01' }),
  void: invoice(8, { status: 'void', creditNotesMinor: 124_000, amountDueMinor: 0, voidedAt: ago(200) }),
  long: invoice(9, {
    ...{ number: 'RECHNUNG/2026/LAMPS-AND-LIGHT-EUROPE-000000004711', totalMinor: 999_999_999_999 },
    ...{ amountDueMinor: 999_999_999_998, amountPaidMinor: 1 },
    reference: 'PO-2026-11-25/department-of-lighting/0000004711-revision-3',
  }),
} satisfies Readonly<Record<string, InvoiceWithLines>>

/** As many lines as an invoice can have, of several rates and categories. */
export const largeDraft = invoice(10, {
  ...{ ...noDocument, status: 'draft', daysUntilDue: 30, reminderOffsets: [-3, 7] },
  lines: Array.from({ length: 100 }, (_, n) =>
    invoiceLine(n + 1, {
      description: `Paper lantern no. ${n + 1}, handmade, with cable and shade`,
      ...{ quantity: String(1 + (n % 7)), unitAmountMinor: 990 + 13 * n, amountMinor: (1 + (n % 7)) * (990 + 13 * n) },
      ...(n % 10 === 3 && { taxRateBps: 700 }),
      ...(n % 25 === 7 && {
        ...{ taxCategory: 'reverse_charge' as const, taxRateBps: 0, taxNote: 'Article 196 of Directive 2006/112/EC' },
      }),
    }),
  ),
})
