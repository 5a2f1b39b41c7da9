import type { Payment } from '../../../machines/payment-events.ts'
import type { PaymentLink } from '../../../machines/payment-link.ts'
import type { Actor } from '../../../src/actors/kind.ts'
import type {
  CheckoutFacts,
  PaidInvoice,
  PaymentFacts,
  PayNetwork,
  PayOption,
  StrayMoney,
} from '../../../src/pages/checkout/facts.ts'
import type { RefusedForm } from '../../../src/pages/checkout/open.ts'
import type { CheckoutRequest } from '../../../src/pages/checkout/page.ts'
import type { CheckoutStatus } from '../../../src/pages/checkout/view.ts'
import type { PaymentTransfer } from '../../../src/records/payment.ts'
import type { CheckoutTexts } from '../../../src/web/text/checkout/en.ts'
import { paymentLinkOpening } from '../../machines/payment-link-cases.ts'

/** The moment at which all pages below are shown. */
export const NOW = new Date('2026-11-25T14:05:00.000Z')
export const minutesFromNow = (minutes: number) => new Date(NOW.getTime() + minutes * 60_000)

export const ADDRESS = '0x738a474f518ef6ebac70682a1c00e7d132a48e1e'
const USDC = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913'
export const HASH = '0x045ef594d81d2f2134d61151ed71260d8f79e657c7cb6ed1d893688532017409'
const OTHER_HASH = '0x0ab25f3049004ce5969100672c92a2768481db2abf7e0267a3b0828a639d5f75'
const BLOCK_HASH = '0x496aca80e4d8f29fb8e8cd816c3afb48d3f103970b3a2ee1600c08ca67326dee'

const LAMP = `data:image/svg+xml,${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40"><rect width="40" height="40" rx="10" fill="#3b2a14"/><path d="M15.5 9h9l4.5 11H11z" fill="#f2c66d"/><path d="M20 20v9.5M14.5 30.5h11" stroke="#f2c66d" stroke-width="2" stroke-linecap="round"/><path d="M24.5 20v3.5" stroke="#f2c66d" stroke-width="1.5" stroke-linecap="round"/></svg>')}`

const link = (more: Partial<PaymentLink> = {}, state = 'active'): Actor<PaymentLink> => ({
  ...{ id: '0193a000-0000-7000-8000-000000000002', kind: 'payment_link', state, rev: 1 },
  context: {
    ...paymentLinkOpening,
    ...{
      livemode: true,
      amountMinor: 4900,
      title: 'Brass desk lamp',
      expiresAt: null,
      maxPayments: null,
      assets: null,
    },
    ...{ description: 'Solid brass, linen shade. Ships within three days.' },
    ...{ successUrl: 'https://lampsandlight.example/thanks' },
    ...{ paymentsOpened: 1, paymentsProcessing: 0, paymentsCount: 0, deactivatedAt: null },
    ...more,
  },
  createdAt: minutesFromNow(-60),
  updatedAt: minutesFromNow(-60),
})

export const base: PayNetwork = {
  ...{ chainId: 8453, network: 'Base', native: 'ETH', blockMs: 2_000 },
  ...{ explorerUrl: 'https://basescan.org', isSandbox: false },
}
const sandbox: PayNetwork = {
  ...{ chainId: 31337, network: 'Sandbox', native: 'ETH', blockMs: 1_000, explorerUrl: null, isSandbox: true },
}

export const option = (chainId: number, network: string, asset: string, networkFeeMinor: number): PayOption => ({
  ...{ chainId, network, asset, decimals: 6, isNative: false, isPar: true, amount: 49_000_000n, networkFeeMinor },
})
const ether: PayOption = {
  ...{ chainId: 1, network: 'Ethereum', asset: 'ETH', decimals: 18, isNative: true, isPar: false },
  ...{ amount: 13_245_987_654_321_000n, networkFeeMinor: 36 },
}
export const options: readonly PayOption[] = [
  option(8453, 'Base', 'USDC', 1),
  option(137, 'Polygon', 'USDC', 1),
  option(137, 'Polygon', 'USDT', 2),
  option(1, 'Ethereum', 'USDC', 34),
  ether,
]

export const payment = (more: Partial<Payment> = {}, state = 'pending'): Actor<Payment> => ({
  ...{ id: '0193a000-0000-7000-8000-000000000003', kind: 'payment', state, rev: 3 },
  context: {
    ...{ merchantId: '0193a000-0000-7000-8000-000000000001', livemode: true, apiVersion: '2026-11-20' },
    ...{ paymentLinkId: link().id, amountMinor: 4900, currency: 'USD', customerEmail: 'anna@example.com' },
    ...{ customerName: null, customerId: null, invoiceId: null },
    ...{ reference: null, metadata: {}, toleranceBps: 0, latePolicy: 'needs_attention' },
    ...{ chainId: 8453, asset: 'USDC', tokenAddress: USDC, decimals: 6, address: ADDRESS },
    ...{ amountExpected: 49_000_000n, confirmationsRequired: 3, pegged: true },
    ...{ quoteRate: null, quoteSource: null, quoteExpiresAt: null, expiresAt: minutesFromNow(27), scan: 1 },
    ...{ amountReceived: 0n, amountFinal: 0n, receivedMinor: 0, payerAddress: null, txHash: null, blockNumber: null },
    ...{ stray: null, finalStrays: 0, announced: [], collectionUnexplained: false, windowLengthened: false },
    ...{ exception: null, failureReason: null, attention: false, refundsReservedMinor: 0, amountRefundedMinor: 0 },
    ...more,
  },
  createdAt: minutesFromNow(-3),
  updatedAt: minutesFromNow(-1),
})

export const transfer = (amount: bigint, more: Partial<PaymentTransfer> = {}): PaymentTransfer => ({
  ...{ txHash: HASH, logIndex: 4, blockNumber: 38_104_527, blockHash: BLOCK_HASH, minedAt: minutesFromNow(-0.3) },
  ...{ from: '0x27b1fdb04752bbc536007a920d24acb045561c26', amount, state: 'seen' },
  ...more,
})

const usdt: StrayMoney = {
  ...{ amount: 49_000_000n, asset: 'USDT', decimals: 6, isNative: false, network: 'Base', isOtherChain: false },
  ...{ txHash: OTHER_HASH, explorerUrl: 'https://basescan.org' },
}

type Shown = Partial<Omit<PaymentFacts, 'payment'>> & {
  readonly of?: Partial<Payment>
  readonly state?: string
}

export const shown = ({ of, state, ...more }: Shown = {}): PaymentFacts => ({
  ...{ id: 'pay_06bt4m9x3kq7v5n2c8hd1wzrfe', payment: payment(of, state), network: base, transfers: [] },
  ...{ confirmations: 0, txHash: null, strays: [], submitted: null, completedAt: null, receiptUrl: null },
  ...{ eventId: '3-0-5f0c2d9a77e1' },
  ...more,
})

export const checkoutFacts = (more: Partial<CheckoutFacts> = {}): CheckoutFacts => ({
  link: link(),
  shop: {
    ...{ name: 'Lamps & Light', logoUrl: LAMP, accentColor: null },
    ...{ supportEmail: 'hello@lampsandlight.example', supportUrl: null },
  },
  ...{ isOpen: true, options, troubles: new Map(), payment: null, now: NOW, locale: 'en' },
  ...more,
})

export type State = {
  readonly status: CheckoutStatus
  readonly facts: CheckoutFacts
  readonly request?: Partial<CheckoutRequest>
}

const of = (status: CheckoutStatus, more: Partial<CheckoutFacts>, request?: Partial<CheckoutRequest>): State => ({
  status,
  facts: checkoutFacts(more),
  ...(request && { request }),
})

const paying = (status: CheckoutStatus, more: Shown, facts: Partial<CheckoutFacts> = {}): State =>
  of(status, { payment: shown(more), ...facts })

/** Errors are keys of the texts: the page is shown in both languages. */
const asked = (email: string, error: keyof CheckoutTexts['errors']): RefusedForm => ({
  ...{ email, asset: '8453:USDC', errors: { email: error } },
})

const success = (more: Shown = {}): Shown => ({
  state: 'success',
  transfers: [transfer(49_000_000n, { state: 'final' })],
  ...{ confirmations: 9, txHash: HASH, completedAt: minutesFromNow(-0.2), receiptUrl: '/receipts/pay_1?s=token' },
  ...more,
  of: { amountReceived: 49_000_000n, amountFinal: 49_000_000n, receivedMinor: 4900, ...more.of },
})
const failed = (failureReason: Payment['failureReason'], more: Shown = {}): State =>
  paying('failed', { state: 'failed', submitted: OTHER_HASH, ...more, of: { failureReason, ...more.of } })

const etherPaid = {
  ...{ chainId: 1, asset: 'ETH', tokenAddress: null, decimals: 18, pegged: false, quoteRate: '3699.24' },
  ...{ quoteSource: 'chainlink ETH / USD', amountExpected: 13_245_987_654_321_000n },
} as const
const ethereum: PayNetwork = {
  ...base,
  chainId: 1,
  network: 'Ethereum',
  blockMs: 12_000,
  explorerUrl: 'https://etherscan.io',
}

const testLink = link({ livemode: false })
const test: PaymentFacts = shown({
  of: { livemode: false, chainId: 31337, asset: 'TUSD', tokenAddress: `0x3b${'5d'.repeat(19)}` },
  network: sandbox,
})

/** 200 characters. */
const LONG_TITLE =
  'Brass desk lamp with a hand-stitched linen shade, 2 m of twisted fabric cable in anthracite, a dimmable warm-white bulb, a spare shade ring, felt feet and a hand-written card – gift wrapped, no. 2041B'

/** Of a payment that pays an invoice. */
const invoice: PaidInvoice = {
  number: 'INV-2026-0042',
  path: '/invoices/token',
  isVoid: false,
  isCredited: false,
  rev: 3,
  payableMinor: 4900,
}

/** Every state of the checkout, with what makes it so. */
export const states: Readonly<Record<string, State>> = {
  open: of('open', {}),
  'open-error': of('open', {}, { refused: asked('anna@', 'email') }),
  'open-chain-trouble': of('open', { troubles: new Map([[8453, { since: minutesFromNow(-3) }]]) }),
  'open-long': of('open', {
    link: link({
      title: LONG_TITLE,
      description: null,
    }),
  }),
  'pay-long': paying('pay', {}, { link: link({ title: LONG_TITLE, description: null }) }),
  'open-no-title': of('open', { link: link({ title: null, description: null }) }),
  'open-rtl': of('open', {
    link: link({ title: 'מנורת שולחן מפליז, אהיל פשתן', description: 'פליז מלא, אהיל פשתן. נשלח תוך שלושה ימים.' }),
  }),
  'open-largest': of('open', {
    link: link({ amountMinor: Number.MAX_SAFE_INTEGER }),
    options: [
      { ...option(8453, 'Base', 'USDC', 1), amount: 90_071_992_547_409_910_000n },
      { ...ether, amount: 24_349_000_000_123_456_789_012_345n },
    ],
  }),
  'open-brand': of('open', {
    shop: { ...checkoutFacts().shop, name: 'Żółta Lampa', logoUrl: null, accentColor: '#ffcc00' },
  }),
  'open-german': of('open', { locale: 'de' }),
  'open-test': of('open', { link: testLink }),
  'open-asset-only': paying('open', {
    of: { chainId: null, asset: null, address: null, amountExpected: null },
    network: null,
  }),
  pay: paying('pay', {}),
  'pay-german': paying('pay', {}, { locale: 'de' }),
  'pay-test': paying('pay', {}, { payment: test, link: testLink }),
  'pay-phone': {
    ...paying('pay', {}),
    request: { phoneUrl: `https://pay.example.com/pay/plink_x/pay_x?s=pay_x_secret_${'a'.repeat(43)}` },
  },
  'pay-ether': paying('pay', { of: { ...etherPaid, quoteExpiresAt: minutesFromNow(27) }, network: ethereum }),
  'pay-brand': paying(
    'pay',
    {},
    { shop: { ...checkoutFacts().shop, name: 'Żółta Lampa', logoUrl: null, accentColor: '#ffcc00' } },
  ),
  'pay-largest': paying(
    'pay',
    { of: { amountExpected: 90_071_992_547_409_910_000n, amountMinor: Number.MAX_SAFE_INTEGER } },
    { link: link({ amountMinor: Number.MAX_SAFE_INTEGER }) },
  ),
  'pay-submitted': paying('pay', { submitted: HASH }),
  'pay-dropped': paying('pay', { transfers: [transfer(49_000_000n, { state: 'orphaned' })] }),
  'pay-chain-trouble': paying('pay', {}, { troubles: new Map([[8453, { since: minutesFromNow(-3) }]]) }),
  'price-expired': paying('price_expired', {
    of: { ...etherPaid, quoteExpiresAt: minutesFromNow(-1), expiresAt: minutesFromNow(60) },
    network: ethereum,
  }),
  seen: paying('seen', {
    state: 'processing',
    of: { amountReceived: 49_000_000n },
    transfers: [transfer(49_000_000n)],
    ...{ confirmations: 1, txHash: HASH },
  }),
  'seen-many': paying('seen', {
    state: 'processing',
    of: { ...etherPaid, amountReceived: 13_246_000_000_000_000n, confirmationsRequired: 75 },
    ...{ network: ethereum, transfers: [transfer(13_246_000_000_000_000n)], confirmations: 23, txHash: HASH },
  }),
  'seen-untold': paying('seen', { transfers: [transfer(49_000_000n)], confirmations: 1 }),
  underpaid: paying('underpaid', {
    of: { amountReceived: 36_000_000n, exception: 'underpaid', expiresAt: minutesFromNow(19) },
    transfers: [transfer(36_000_000n)],
  }),
  'wrong-asset': paying('wrong_asset', {
    of: { stray: 'wrong_asset', exception: 'wrong_asset', attention: true, expiresAt: minutesFromNow(14) },
    strays: [usdt],
  }),
  'wrong-chain': paying('wrong_chain', {
    of: { stray: 'wrong_chain', exception: 'wrong_chain', attention: true },
    strays: [
      { ...usdt, asset: 'USDC', network: 'Polygon', isOtherChain: true, explorerUrl: 'https://polygonscan.com' },
    ],
  }),
  'wrong-asset-unknown': paying('wrong_asset', {
    of: { stray: 'wrong_asset', exception: 'wrong_asset' },
    strays: [{ ...usdt, asset: null }],
  }),
  'wrong-asset-over': paying('wrong_asset', {
    of: { stray: 'wrong_asset', exception: 'wrong_asset', expiresAt: minutesFromNow(-1) },
    strays: [usdt],
  }),
  paid: paying('paid', success()),
  'paid-plain': paying('paid', success({ of: { amountRefundedMinor: 900 }, receiptUrl: null }), {
    link: link({ successUrl: null }),
    shop: { ...checkoutFacts().shop, supportEmail: null },
  }),
  'paid-stray': paying(
    'paid',
    success({ of: { exception: 'wrong_asset', stray: 'wrong_asset', finalStrays: 1 }, strays: [usdt] }),
  ),
  overpaid: paying(
    'overpaid',
    success({ of: { amountReceived: 51_000_000n, amountFinal: 51_000_000n, exception: 'overpaid' } }),
  ),
  expired: paying('expired', { state: 'expired', of: { expiresAt: minutesFromNow(-3) } }),
  'expired-now': paying('expired', { of: { expiresAt: minutesFromNow(-0.1) } }),
  'expired-closed': paying(
    'expired',
    { state: 'expired', of: { expiresAt: minutesFromNow(-3) } },
    { isOpen: false, shop: { ...checkoutFacts().shop, supportEmail: null } },
  ),
  'expired-stray': paying('expired', {
    state: 'expired',
    of: { stray: 'wrong_asset', exception: 'wrong_asset', expiresAt: minutesFromNow(-3) },
    strays: [usdt],
  }),
  late: paying('late', {
    state: 'expired',
    of: { exception: 'late', amountReceived: 49_000_000n, expiresAt: minutesFromNow(-40), attention: true },
    ...{ transfers: [transfer(49_000_000n, { minedAt: minutesFromNow(-2), state: 'final' })], txHash: HASH },
  }),
  'late-price': paying('late', {
    of: { ...etherPaid, quoteExpiresAt: minutesFromNow(-5), expiresAt: minutesFromNow(60) },
    ...{ network: ethereum, transfers: [transfer(13_246_000_000_000_000n, { minedAt: minutesFromNow(-2) })] },
  }),
  'late-sent-back': paying('late', {
    state: 'expired',
    of: { exception: 'late', amountReceived: 49_000_000n, amountRefundedMinor: 4900, expiresAt: minutesFromNow(-3000) },
    ...{ transfers: [transfer(49_000_000n, { minedAt: minutesFromNow(-20), state: 'final' })], txHash: HASH },
  }),
  'failed-reverted': failed('reverted'),
  'failed-reverted-ether': failed('reverted', { of: etherPaid, network: ethereum }),
  'failed-wrong-recipient': failed('wrong_recipient'),
  'failed-wrong-asset': failed('wrong_asset'),
  'failed-wrong-chain': failed('wrong_chain'),
  'failed-amount-mismatch': failed('amount_mismatch'),
  'failed-underpaid': failed('underpaid', {
    of: { amountReceived: 36_000_000n, amountFinal: 36_000_000n, exception: 'underpaid', attention: true },
    ...{ submitted: null, transfers: [transfer(36_000_000n, { state: 'final' })], txHash: HASH },
  }),
  'failed-underpaid-now': paying('failed', {
    of: { amountReceived: 36_000_000n, exception: 'underpaid', expiresAt: minutesFromNow(-1) },
    transfers: [transfer(36_000_000n)],
  }),
  canceled: paying('canceled', { state: 'canceled' }),
  'canceled-unpicked': paying('canceled', {
    state: 'canceled',
    of: { chainId: null, asset: null, address: null, amountExpected: null },
    network: null,
  }),
  'pay-long-email': paying('pay', { of: { customerEmail: `${'anna'.repeat(16)}@example.com` } }),
  'closed-taken': paying(
    'closed',
    {},
    { link: link({ maxPayments: 1, paymentsCount: 1 }, 'completed'), isOpen: false },
  ),
  closed: of('closed', { link: link({}, 'deactivated'), isOpen: false }),
  'closed-completed': of('closed', { link: link({}, 'completed'), isOpen: false }),
  'closed-expired': of('closed', { isOpen: false }),
  'not-found': of('not_found', { link: undefined }),
  'not-found-payment': of('not_found', { link: undefined }, { linkPath: '/pay/plink_x' }),
  unavailable: of('unavailable', {
    options: options.filter(({ isPar }) => isPar),
    troubles: new Map([8453, 137, 1].map(id => [id, { since: minutesFromNow(-3) }])),
  }),
  'unavailable-price': of('unavailable', { options: [{ ...ether, amount: null }] }),
  'unavailable-setup': of('unavailable', { options: [] }),
  'invoice-pay': paying('pay', {}, { invoice }),
  'invoice-pay-settled': paying('closed', {}, { invoice: { ...invoice, payableMinor: 0 } }),
  'invoice-pay-credited': paying('closed', {}, { invoice: { ...invoice, isCredited: true, payableMinor: 0 } }),
  'invoice-pay-canceled': paying('closed', { state: 'canceled' }, { invoice: { ...invoice, payableMinor: 0 } }),
  'invoice-pay-void': paying('closed', {}, { invoice: { ...invoice, isVoid: true, payableMinor: 0 } }),
  'invoice-pay-underpaid': paying(
    'underpaid',
    {
      of: { amountReceived: 36_000_000n, amountFinal: 36_000_000n, receivedMinor: 3600, exception: 'underpaid' },
      transfers: [transfer(36_000_000n, { state: 'final' })],
    },
    { invoice: { ...invoice, payableMinor: 1300 } },
  ),
  'invoice-pay-failed-underpaid': paying(
    'failed',
    {
      state: 'failed',
      of: { amountReceived: 36_000_000n, amountFinal: 36_000_000n, receivedMinor: 3600, failureReason: 'underpaid' },
      transfers: [transfer(36_000_000n, { state: 'final' })],
    },
    { invoice: { ...invoice, payableMinor: 1300 } },
  ),
  'invoice-pay-expired': paying('expired', { state: 'expired', of: { expiresAt: minutesFromNow(-3) } }, { invoice }),
  'invoice-pay-overpaid': paying(
    'overpaid',
    success({ of: { amountReceived: 51_000_000n, amountFinal: 51_000_000n, exception: 'overpaid' } }),
    { invoice: { ...invoice, payableMinor: 0 }, link: link({ successUrl: null }) },
  ),
  'invoice-pay-not-found': of('not_found', { link: undefined }, { linkPath: '/invoices/token', isOfInvoice: true }),
}

/** The facts of a receipt. */
export const receipts: Readonly<Record<string, CheckoutFacts>> = {
  receipt: checkoutFacts({ payment: shown(success()) }),
  'receipt-invoice': checkoutFacts({
    payment: shown(success()),
    invoice: { number: 'INV-2026-0042', isVoid: false, rev: 3, payableMinor: 0, isCredited: false },
    link: link({ title: null, description: null }),
  }),
  'receipt-german': checkoutFacts({ payment: shown(success()), locale: 'de' }),
  'receipt-test': checkoutFacts({
    link: testLink,
    payment: shown(success({ network: sandbox, of: { livemode: false, chainId: 31337 } })),
  }),
  'receipt-largest': checkoutFacts({
    link: link({ amountMinor: Number.MAX_SAFE_INTEGER }),
    payment: shown(
      success({
        of: { amountMinor: Number.MAX_SAFE_INTEGER, amountReceived: 90_071_992_547_409_910_000n },
        transfers: [transfer(90_071_992_547_409_910_000n, { state: 'final' })],
      }),
    ),
  }),
  'receipt-ether': checkoutFacts({
    payment: shown(
      success({
        network: ethereum,
        of: { ...etherPaid, amountReceived: 13_246_000_000_000_000n, amountRefundedMinor: 900 },
        transfers: [
          transfer(10_000_000_000_000_001n, { state: 'final', logIndex: null }),
          transfer(3_246_000_000_000_000n, { state: 'final', logIndex: null, txHash: OTHER_HASH }),
        ],
      }),
    ),
  }),
}
