import { exampleId } from '../../fields/examples.ts'
import { exampleNames, resources } from '../../resources.ts'

const atomicUnits = 'in atomic units of the asset, as a decimal string'

/**
 * The description of every field. A name has the same meaning in all schemas, unless there is an entry for one schema:
 * `Payment.status` is used before `status`.
 */
export const fieldDescriptions: Readonly<Record<string, string>> = {
  id: 'Unique identifier. The prefix shows the type of the object.',
  object: 'Type of the object.',
  merchantId: 'Merchant that the object belongs to.',
  livemode: 'True in live mode (real money), false in test mode.',
  createdAt: 'Time at which the object was created. ISO 8601 in UTC, with milliseconds.',
  updatedAt: 'Time of the last change. ISO 8601 in UTC, with milliseconds.',
  amountMinor: 'Amount in the minor unit of the currency (ISO 4217): 4900 is 49.00 EUR.',
  currency: 'Three-letter currency code (ISO 4217). `USD` and `EUR` are supported.',
  metadata:
    'Your own key-value pairs: up to 20, keys of up to 40 characters, values of up to 200 characters, 4 KiB in total. Customers do not see them.',
  reference:
    'Your own reference, such as an order number. Unique among the payment links of a merchant in one mode. A payment has the reference of its payment link. Null if there is none.',
  title: 'What the customer buys, in a few words. Null if not set.',
  description: 'What the customer buys, in detail. Null if not set.',
  status: 'Current status.',
  asset: 'Symbol of a token, or of the native currency of the chain, such as `USDC` or `ETH`.',
  chainId: 'EIP-155 ID of the chain. 31337 is the sandbox.',
  customerEmail: 'E-mail address that the customer entered.',
  customerName: 'Name that the customer entered. Null if none was entered.',
  network: 'Name of the chain.',
  tokenAddress: 'Contract address of the token. Null for the native currency of the chain.',
  decimals: 'Number of decimals of the asset: 1 unit of the asset is 10^decimals atomic units.',
  txHash:
    'Hash of the transaction. Null if there is none, or it is not known (native currency that a contract passed on).',
  blockNumber: 'Number of the block that contains the transaction. Null if there is no transaction.',
  confirmations:
    'Number of confirmations: latest block minus block of the transfer, plus one. Of several transfers, the smallest number.',
  amount: `Amount ${atomicUnits}.`,
  paymentUri: 'Payment link by EIP-681, for wallets and QR codes.',
  qrCode: 'The payment link as a QR code: an SVG image, as markup.',
  paymentId: 'Payment that the object belongs to.',
  reason: 'Reason that was given when the object was created.',
  type: 'Type of the event.',
  data: 'Objects of this page.',
  has_more: 'Whether there are more objects after this page.',
  name: 'Display name.',
  secret: 'The secret key. It is shown only in this response.',
  link: 'The payment link, with the fields that customers may see.',
  options:
    'Assets that the link can be paid with now, each with the amount due. Assets at par with the currency come first, then those with the lowest network fee.',
  networkFeeMinor:
    'Estimated fee that the customer pays to the network for the transfer, in the minor unit of the currency, rounded up: the gas price of the latest block times 65,000 gas for a token, or 21,000 gas for the native currency. Null if it is not known.',
  quoteExpiresAt:
    'Time at which the price expires. A transfer in a later block is late: pick the asset again for a new price, as long as no money has arrived. Null if the asset is at par with the currency: this price does not expire.',
  payment: 'The new payment.',
  clientSecret:
    'Secret that gives access to the payment. It is shown only in this response: store it for the customer, and show it to no one else.',
  role: '`owner`: full access. `developer`: everything except members and receiving addresses. `viewer`: read access only.',
  email: 'E-mail address, at most 254 characters.',
  password: 'Password. A new password must have at least 10 characters.',
  currentPassword: 'Current password.',
  newPassword: 'New password, at least 10 characters.',
  code: 'Six-digit code of the authenticator app, or a recovery code.',
  signUpCode:
    'Code that the server prints at start. Required for the first account, if HOST or PUBLIC_URL is not a loopback address.',
  merchantName: 'Name of the merchant, 1 to 200 characters.',
  mfaEnabled: 'Whether sign-in requires a code (multi-factor authentication).',
  operator:
    'Whether the account is an operator of the server. The first account is one; `bun run admin operator` changes it.',
  signedIn: 'Whether the refresh cookie of the request belongs to an active session.',
  token: 'Token of the invite: the part of its link after the `#`.',
  accessToken: 'Access token for the `Authorization` header. Valid for `expiresIn` seconds.',
  expiresIn: 'Lifetime of the access token in seconds.',
  recoveryCodes: 'Recovery codes. Each code works once. They are shown only in this response.',
  otpauthUrl: 'The secret as an `otpauth://` URL, to be shown as a QR code.',
  everywhere: 'True ends all sessions of the account. Default: false.',
  to: 'Address that the transaction is sent to.',
  scenario: 'Scenario to simulate. The description of the endpoint lists them.',
  transactions: 'Hashes of the transactions that were sent for the payment.',
  treasury: 'Receiving address that the money is collected to. It is fixed for a deposit address when that is created.',
  addresses: 'Number of deposit addresses.',
  unavailable: 'Chains that did not answer. Their balances are not included.',
  step: 'Purpose of the transaction: `collect`, `deploy_factory`, `impossible` or `nothing`. See the description of the endpoint.',
  gas: 'Gas limit of the transaction.',
  gasPerAddress: 'Gas for each deposit address, at most. Null unless `step` is `collect`.',
  amounts: 'Amounts that the transaction collects, by asset.',
  remaining: 'Number of deposit addresses that are left for the next transaction.',
  leftOut: 'Amounts that cannot be collected now, by reason.',
  otherTreasuries: 'Other receiving addresses for which money can be collected. Send one of them as `treasury`.',
  version: 'Version of the file format.',
  treasuries: 'All receiving addresses that were used so far, or are set now.',
  codeHash: 'Hash of the contract code at the receiving address. Null if it is not a contract.',
  onlyOn: 'ID of the only chain on which money may be collected to this address. Null for every chain.',
  factory: 'Contract that collects the money. It has the same address on every chain.',
  highestCounter: 'No deposit address has a higher counter so far. Null if there is none.',
  user: 'The account.',
  merchants: 'Merchants that the account is a member of, with its role.',
  openapi: 'Version of the OpenAPI specification.',
  chains:
    'State of each chain, by chain ID: `ok`, or a short description of the problem. A problem with a chain does not change `status`.',
  locks:
    '`ok`, or a message if a record has waited for more than 30 seconds for a row that another database transaction has locked. It does not change `status`.',
  checks: 'State of each part of the server: `ok`, or a short description of the problem.',

  'Collection.unsignedTransaction': 'Transaction to sign and send with any wallet. Null if there is none to send.',
  'Collection.unsignedTransaction.data': 'Call data, in hexadecimal.',
  'Collection.unsignedTransaction.value': 'Amount of native currency that is sent along: always `0`.',
  'Collection.asset': 'Symbol of the requested asset. Null for all assets.',
  'Collection.addresses': 'Number of deposit addresses that the transaction collects from.',
  'Collection.treasury': 'Receiving address that the transaction collects to. Null if there is nothing to collect.',
  'Collection.leftOut.reason': 'Why the amount cannot be collected now. See the description of the endpoint.',
  'CreateCollection.asset': 'Symbol of the asset to collect. Null or missing: all assets.',
  'CreateCollection.treasury':
    'Receiving address to collect to: one of `otherTreasuries`. Default: the one with the most deposit addresses.',
  'RecoveryFile.secret':
    'Secret from which the deposit addresses are derived. It cannot move money, but shows which payments are yours: keep it confidential.',
  'RecoveryFile.treasuries.address': 'The receiving address.',
  'RecoveryFile.chains': 'Chains that are enabled now, with the tokens that are searched for on each.',
  'RecoveryFile.chains.tokens': 'Tokens of the chain. The native currency is always searched for.',
  'RecoveryFile.chains.tokens.address': 'Contract address of the token.',
  'MfaSetup.secret': 'Secret for manual entry in the authenticator app. MFA is off until a code is confirmed.',
  'Readiness.status': '`ready`, or `not ready` if one of the checks is not `ok`.',
  'Alive.status': '`ok`.',
}

/** The description of the field at this path of a schema. `of` is the name of the schema, without `With…` and `Body`. */
export const explainField = (path: string, of = ''): string | undefined =>
  fieldDescriptions[`${of}.${path}`] ?? fieldDescriptions[path.slice(path.lastIndexOf('.') + 1)]

/** Unlike other lists, these begin with the oldest entry. */
const historyOrders = Object.fromEntries(
  ['PaymentLink', 'Payment', 'Refund', 'Dispute', 'WebhookDelivery'].map(name => [
    `list${name}History.order`,
    'Sort order. `asc`: oldest first. `desc`: newest first.',
  ]),
)

/** The list and the stream have the same. */
const transitionFilters = Object.fromEntries(
  ['listTransitions', 'streamTransitions'].flatMap(operation => [
    [`${operation}.event`, 'Return only transitions by this event.'],
    [`${operation}.state`, 'Return only transitions into this state.'],
    [
      `${operation}.actor`,
      'Return only transitions of this actor: the ID of a payment, refund, payment link, dispute or delivery.',
    ],
    [`${operation}.merchantId`, 'Return only transitions of actors of this merchant.'],
  ]),
)

const parameterDescriptions: Readonly<Record<string, string>> = {
  limit: 'Maximum number of objects in the response, 1 to 100.',
  startingAfter:
    'Cursor for pagination: ID of the last object of the previous page. The response starts with the object after it.',
  order:
    'Sort order. `desc`: newest first. `asc`: oldest first; with a stored cursor as `startingAfter`, it returns every later object exactly once.',
  ...historyOrders,
  'searchActors.q': 'ID, event ID, reference, transaction hash or address. Without it the list is empty.',
  window: 'Period of the flows and durations: the last hour, day, week or 30 days. Default: `24h`.',
  kind: 'Machine: the type of the actors.',
  ...transitionFilters,
  livemode: 'Mode: `true` for live mode, `false` for test mode.',
  'getAnalyticsSeries.from':
    'Beginning of the figures: a date, or a time in ISO 8601 and UTC. Default: 30 days before the end.',
  'getAnalyticsSeries.to':
    'End of the figures, which does not belong to them: a date, or a time in ISO 8601 and UTC. Default: the end of today.',
  'getAnalyticsSummary.from':
    'Beginning of the figures: a date, or a time in ISO 8601 and UTC. Default: 30 days before the end.',
  'getAnalyticsSummary.to':
    'End of the figures, which does not belong to them: a date, or a time in ISO 8601 and UTC. Default: the end of today.',
  'getAnalyticsSeries.bucket': 'Length of the parts.',
  'getAnalyticsSeries.breakdown':
    'What the figures are given for: all payments together, or each asset, chain or payment link.',
  'getAnalyticsSeries.timeZone': 'IANA time zone of the buckets and dates. Default: that of the merchant.',
  'getAnalyticsSeries.currency': 'Return only the figures of this currency.',
  from: 'First day (`YYYY-MM-DD` in your time zone) or time of creation (ISO 8601 in UTC), inclusive.',
  to: 'Day or time of creation that ends the range, exclusive. At most 400 days after `from`.',
  'listMembers.livemode': 'Has no effect: members belong to both modes.',
  'listInvites.livemode': 'Has no effect: invites belong to both modes.',
  'listSecurityEvents.livemode': 'Has no effect: the audit log covers both modes.',
  status: 'Return only objects with this status. Send the parameter up to 10 times for several: `status=a&status=b`.',
  'listWebhookDeliveries.status': 'Return only deliveries with this status.',
  'listAllWebhookDeliveries.status': 'Return only deliveries with this status.',
  eventType: 'Return only deliveries of events of this type.',
  eventId: 'Return only deliveries of this event.',
  endpointId: 'Return only deliveries to this webhook endpoint.',
  'listPayments.q':
    'Search text, 1 to 200 characters. Return only payments whose ID, payment link, reference, transaction hash, deposit address or payer address is the text, or whose e-mail address begins with it (at least 3 characters, in any case).',
  'listPaymentLinks.q':
    'Search text, 1 to 200 characters. Return only payment links whose ID or reference is the text.',
  'listRefunds.q':
    'Search text, 1 to 200 characters. Return only refunds whose ID, transaction hash or destination is the text, and refunds of a payment whose ID or reference is the text, or whose e-mail address begins with it (at least 3 characters, in any case).',
  'listDisputes.q':
    'Search text, 1 to 200 characters. Return only disputes whose ID is the text, and disputes of a payment whose ID or reference is the text, or whose e-mail address begins with it (at least 3 characters, in any case).',
  'listPlans.q': 'Return only plans whose name begins with this text, in any case, or whose reference is this text.',
  'listCustomers.q':
    'Search text, 1 to 200 characters. Return only customers whose name, company or e-mail address begins with it, in any case. Aliases count as well.',
  'listCustomers.email': 'Return only the customer that has this e-mail address, also as an alias.',
  hidden: 'With `true`, return only the links of invoices. By default, the list contains all other links.',
  createdAfter: 'Return only objects that were created at this time or later. ISO 8601 in UTC.',
  createdBefore: 'Return only objects that were created before this time. ISO 8601 in UTC.',
  objectId: 'Return only events about this object, such as a payment or a refund.',
  reference: 'Return only objects with this reference.',
  customerId: 'Return only payments of this customer, and of those that were merged into it.',
  'listInvoices.customerId': 'Return only invoices of this customer, and of those that were merged into it.',
  'listSubscriptions.customerId': 'Return only subscriptions of this customer, and of those that were merged into it.',
  planId: 'Return only subscriptions to this plan.',
  'listInvoices.subscriptionId': 'Return only invoices of this subscription.',
  'listInvoices.number': 'Return only the invoice with this number.',
  'listInvoices.overdue': 'With `true`, return only invoices that are overdue.',
  'listInvoices.dueBefore':
    'Return only invoices that are due before this time (ISO 8601 in UTC) or day (`YYYY-MM-DD` in your time zone). Drafts have no due time.',
  'listCreditNotes.customerId': 'Return only credit notes of this customer, and of those that were merged into it.',
  invoiceId: 'Return only credit notes about this invoice.',
  'getCreditNoteDocument.format': '`pdf` or `json`. Default: `pdf`.',
  'getInvoiceDocument.format': '`pdf` or `json`. Default: `pdf`.',
  'getCheckoutInvoiceDocument.format': '`pdf` or `json`. Default: `pdf`.',
  'getCheckoutCreditNoteDocument.format': '`pdf` or `json`. Default: `pdf`.',
  'listInvoiceChain.kind': 'Kind of the documents: `invoice` or `credit_note`. Default: `invoice`.',
  'listInvoiceChain.year': 'Return only documents with issue dates in this year. Default: all.',
  'listInvoiceChain.order': 'Sort order. `asc` (default): oldest first. `desc`: newest first.',
  paymentLinkId: 'Return only payments of this payment link.',
  paymentId: 'Return only objects of this payment.',
  'listPayments.attention':
    'With `true`, return only payments that need your attention: money was late, too much, too little at the end of the payment window, or in another asset or on another chain; or native currency was collected from the address before its transfer was recorded.',
  'listRefunds.attention':
    'With `true`, return only refunds that need your attention. The description of `POST /v1/merchants/:merchantId/refunds/:id/resolve` lists the reasons.',
  bom: 'With `true`, the file begins with a byte order mark, by which Excel recognizes UTF-8.',
  'downloadExport.token': 'Token at the end of the `url` of the export.',
  type: 'Return only events of this type.',
  action: 'Return only entries with this action.',
  merchantId: 'ID of the merchant. The response to the sign-in contains it.',
  id: 'ID of the object. A malformed ID, and the ID of an object of another merchant or of the other mode, returns `resource_not_found`.',
  linkId: 'ID of the payment link.',
  lang: 'Language of the page. Default: the one that `Accept-Language` prefers, or else English.',
  another: '`1`: begin another payment, even if the customer has one under way.',
  phone: '`1`: the page shows the address that opens the payment on another device, as a QR code.',
  ticket: 'From `POST /v1/ops/tickets`. Valid once, for 60 seconds.',
  'inspect.kind': 'Only actors of this machine.',
  'inspect.actor': 'Only the actor with this ID.',
  'inspect.merchantId': 'Only actors of this merchant.',
  'visitPaymentPage.s': 'Client secret of the payment. The response moves it into the cookie of the page.',
  'visitInvoicePaymentPage.s': 'Client secret of the payment. The response moves it into the cookie of the page.',
  'visitReceipt.s': 'Token of the receipt, from `receiptUrl`.',
  file: 'Name of the file, as in the pages that refer to it.',
  'getLogo.file': 'Name of the file: the SHA-256 of its content in hexadecimal, and `.png`, `.jpg` or `.webp`.',
  section: 'Name of the section, as in the links of `/docs`.',
  secret: 'Secret at the end of the `claimUrl` of the refund.',
  token: 'Token at the end of the `url` of the invoice.',
  clientSecret:
    'Client secret of the payment, if it is not sent in the `Client-Secret` header. `EventSource` cannot send headers.',
  'Service-Version': 'API version for this request, if it is not the version of the key.',
  'Idempotency-Key':
    'Key for a safe retry: 1 to 255 printable ASCII characters that you choose. A repeated request with the same key and body is not carried out again, and gets the same response.',
}

/** `operation` is the name that the route declares for its operation. */
export const explainParameter = (name: string, operation = ''): string =>
  parameterDescriptions[`${operation}.${name}`] ??
  parameterDescriptions[`${listOf(operation)}.${name}`] ??
  parameterDescriptions[name] ??
  explainField(name) ??
  name

/** An export has the filters of the list of the same name. */
const listOf = (operation: string): string => operation.replace(/^export(.*)As(Csv|Ndjson)$/, 'list$1')

/** An example of the ID that follows this segment of a path. */
export const idExamples: Readonly<Record<string, string>> = {
  ...Object.fromEntries(exampleNames.map(name => [resources[name].path, exampleId(name)])),
  pay: exampleId('payment_link'),
  links: exampleId('payment_link'),
  receipts: exampleId('payment'),
  paymentId: exampleId('payment'),
  claims: 'Zl9oVnqR6Jm3sCwJqYb0e7t4hTgKxUuP2dNaLf1iXyE',
  token: 'q3Rk-0VdS0aXJb5nTnqkqg',
}
