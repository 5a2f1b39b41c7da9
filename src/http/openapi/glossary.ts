import { exampleId } from '../../fields/examples.ts'
import { exampleNames, resources } from '../../resources.ts'

const atomicUnits = 'in atomic units of the asset, as a decimal string'
const webhookUrl =
  'URL that receives the events. It must use https and lead to a public address; the operator of the server can allow other addresses for test mode.'
const webhookName = 'Your own description of the endpoint, shown to members only. Null if there is none.'

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
  unsignedTransaction:
    'Transaction that pays the refund, for you to sign. Null unless the status is `requires_signature` and the refund has to be signed manually; always null in the sandbox. A refund that your refund signer can sign has none. A refund above the limits of the signer gets one, and is then not signed by any signer. A failed refund gets one again after `retry`. Before you sign, read the refund again: a replayed response to the request that created the refund can contain a transaction that has been sent since. Shown only to keys with `refunds:write`, owners and developers; always null in events.',
  type: 'Type of the event.',
  created: 'Time of the event, in seconds since 1 January 1970 UTC (Unix time).',
  api_version: 'API version in which the event was rendered. It never changes.',
  data: 'Objects of this page.',
  has_more: 'Whether there are more objects after this page.',
  name: 'Display name.',
  scopes: 'Permissions of the key. `*` is all permissions.',
  access:
    'Preset of scopes: `full` is `*`, `store_plugin` is `payments:read` and `payment_links:write`, `read_only` is `payments:read`. Send either `access` or `scopes`.',
  tag: 'The six characters of the secret after `sk_test_` or `sk_live_`. They identify the key and can be shown.',
  last4: 'Last four characters of the secret.',
  secret: 'The secret key. It is shown only in this response.',
  lastUsedAt: 'Time of the last request with the key, updated about every 10 seconds. Null if it was never used.',
  revokedAt: 'Time at which the key was revoked. Null if it was not.',
  overlapHours:
    'Number of hours for which the old secret continues to work: 0 to 72. Default: 0, the old secret stops working immediately.',
  branding: 'Branding of the pages for your customers.',
  logoUrl:
    'URL of your logo, on this server. It is set with `POST /v1/merchants/:merchantId/settings/logo`. Null if there is none.',
  accentColor: 'Accent color: `#` and six hexadecimal digits. Null if not set.',
  supportEmail: 'E-mail address of your customer support. Null if not set.',
  supportUrl: 'Page of your customer support (http or https). Null if not set.',
  receivingAddress:
    'Your address that receives the money, on every chain. It cannot be the contract of a token, or the deposit address of a payment. Null if not set.',
  receivingAddresses:
    'Receiving addresses for single chains, by chain ID. They replace `receivingAddress` on these chains.',
  toleranceBps:
    'Tolerance for underpayment, in basis points (hundredths of a percent): 50 accepts payments that are up to 0.5% below the amount due.',
  latePolicy:
    'What to do with money that arrives after the payment window. `accept_stablecoins`: a stablecoin of the currency of the payment completes the payment if the amount is sufficient; other money needs your attention. `needs_attention`: all of it needs your attention. Money that arrives in the window after the price has expired always needs your attention.',
  refundMode:
    'Who signs refunds. `manual`: you do. `signer`: the refund signer that the operator of the server has added for the chain; on chains without one, you do. A change applies from then on: a refund for which you have been shown a transaction stays with you.',
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
  signedIn: 'Whether the refresh cookie of the request belongs to an active session.',
  token: 'Token of the invite: the part of its link after the `#`.',
  accessToken: 'Access token for the `Authorization` header. Valid for `expiresIn` seconds.',
  expiresIn: 'Lifetime of the access token in seconds.',
  recoveryCodes: 'Recovery codes. Each code works once. They are shown only in this response.',
  otpauthUrl: 'The secret as an `otpauth://` URL, to be shown as a QR code.',
  current: 'True for the session that made this request.',
  everywhere: 'True ends all sessions of the account. Default: false.',
  userAgent: '`User-Agent` header of the browser. Null if it sent none.',
  createdBy: 'Account that created the invite.',
  actor:
    'Who made the change: the ID of an account, `operator` (the operator, at the command line), or `service` (the server itself).',
  action: 'What was done, such as `api_key.created`.',
  details: 'Details of the change. The fields depend on `action`.',
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

  eventTypes: 'Types of the events that are sent to the endpoint. There is no wildcard.',
  disabledReason:
    'Why the endpoint is disabled: `by_merchant`; `no_success` (no 2xx response for 72 hours, and ten failed deliveries); or `gone` (the last attempt of a delivery got status 410). Null if it is enabled.',
  signingSecret: 'Secret that signs the requests to the endpoint. It is shown only in this response.',
  eventId: 'Event that is delivered.',
  eventType: 'Type of the event.',
  endpointId: 'Webhook endpoint.',
  nextAttemptAt:
    'Time of the next attempt. Null while an attempt is in progress, and if no further attempt is planned.',
  attempts: 'Attempts so far, including one that is in progress. At most the latest 50.',
  number: 'Number of the attempt, starting at 1. Manual attempts are counted too.',
  trigger: '`automatic`: by schedule. `manual`: requested by a member.',
  startedAt: 'Time at which the attempt was started, shortly before the first byte was sent.',
  durationMs: 'Duration in milliseconds. Null while the attempt is in progress, and if the result is not known.',
  httpStatus: 'HTTP status of the response. Null if there was none.',
  responseSnippet: 'Up to 1,000 characters of the response body. Null if there was none.',
  since:
    'Start of the period: deliveries of events from this time on are sent again. At most 30 days ago. ISO 8601 in UTC.',
  deliveries: 'Number of deliveries that will be sent again.',

  'ApiKey.expiresAt': 'Time at which the key expires. Null if it does not expire.',
  'CreateApiKey.expiresAt': 'Time at which the key expires: a future time, ISO 8601 in UTC. Null or missing: never.',
  'ApiKey.name': 'Your own name for the key.',
  'CreateApiKey.name': 'Your own name for the key, 1 to 200 characters.',
  'Settings.id': 'ID of the merchant.',
  'Settings.confirmations':
    'Number of confirmations after which a payment is final, by chain ID. Only chains with a value that differs from the default.',
  'UpdateSettings.confirmations':
    'Number of confirmations after which a payment is final, by chain ID. Null restores the default of the chain.',
  'UpdateSettings.receivingAddresses':
    'Receiving addresses for single chains, by chain ID. Null removes the address of a chain.',
  'Invite.email': 'E-mail address of the invited person. Null if anyone with the link can accept it.',
  'Invite.expiresAt': 'Time at which the invite expires.',
  'Invite.url': 'Link for the invited person. It is shown only in this response.',
  'InviteMember.email':
    'E-mail address of the invited person: only an account with this address can accept the invite. Null or missing: anyone with the link can.',
  'SecurityEvent.address': 'IP address that the change was made from. Null if there is none.',
  'SecurityEvent.email': 'E-mail address of the account. Null if the change was not made by an account.',
  'SecurityEvent.id': 'Unique identifier, a UUID.',
  'Session.address': 'IP address that the session was last used from.',
  'Session.lastUsedAt': 'Time of the sign-in or of the last refresh of the access token.',
  'Event.data': 'Data of the event.',
  'Event.id':
    'Unique identifier, a UUID. It is the same in every delivery: use it to ignore events that you have already processed.',
  'Event.data.object': 'The object as it was at the time of the event.',
  'Event.object': '`event`. This field is not part of the body of a webhook delivery.',
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
  'WebhookEndpoint.url': webhookUrl,
  'WebhookEndpoint.description': webhookName,
  'WebhookEndpoint.status':
    '`enabled`: events are delivered. `disabled`: no events are delivered, see `disabledReason`.',
  'CreateWebhookEndpoint.url': webhookUrl,
  'CreateWebhookEndpoint.description': webhookName,
  'UpdateWebhookEndpoint.url': webhookUrl,
  'UpdateWebhookEndpoint.description': webhookName,
  'UpdateWebhookEndpoint.status': '`enabled` or `disabled`.',
  'RotateWebhookSecret.overlapHours':
    'Number of hours for which requests are also signed with the old secret: 0 to 168. Default: 24. With 0 the old secret is not used any more.',
  'WebhookDelivery.status':
    '`pending`: waiting for an attempt, or an attempt is in progress. `delivered`: the endpoint answered with 2xx. `failed`: five automatic attempts failed, or one ended the delivery: a redirect, an address that is not allowed, or an event of more than 20 KiB. `canceled`: the endpoint was disabled or deleted.',
  'WebhookDelivery.attempts.outcome': 'Result of the attempt. Null while it is in progress.',
  'WebhookRecovery.endpointId': 'Webhook endpoint that the deliveries are sent to.',
  'MfaSetup.secret': 'Secret for manual entry in the authenticator app. MFA is off until a code is confirmed.',
  'Readiness.status': '`ready`, or `not ready` if one of the checks is not `ok`.',
  'Alive.status': '`ok`.',
}

/** The description of the field at this path of a schema. `of` is the name of the schema, without `With…` and `Body`. */
export const explainField = (path: string, of = ''): string | undefined =>
  fieldDescriptions[`${of}.${path}`] ?? fieldDescriptions[path.slice(path.lastIndexOf('.') + 1)]

const parameterDescriptions: Readonly<Record<string, string>> = {
  limit: 'Maximum number of objects in the response, 1 to 100.',
  startingAfter:
    'Cursor for pagination: ID of the last object of the previous page. The response starts with the object after it.',
  order:
    'Sort order. `desc`: newest first. `asc`: oldest first; with a stored cursor as `startingAfter`, it returns every later object exactly once.',
  livemode: 'Mode: `true` for live mode, `false` for test mode.',
  'listMembers.livemode': 'Has no effect: members belong to both modes.',
  'listInvites.livemode': 'Has no effect: invites belong to both modes.',
  'listSecurityEvents.livemode': 'Has no effect: the audit log covers both modes.',
  status: 'Return only objects with this status.',
  reference: 'Return only objects with this reference.',
  paymentLinkId: 'Return only payments of this payment link.',
  paymentId: 'Return only objects of this payment.',
  'listPayments.attention':
    'With `true`, return only payments that need your attention: money was late, too much, too little at the end of the payment window, or in another asset or on another chain; or native currency was collected from the address before its transfer was recorded.',
  'listRefunds.attention':
    'With `true`, return only refunds that need your attention. The description of `POST /v1/merchants/:merchantId/refunds/:id/resolve` lists the reasons.',
  type: 'Return only events of this type.',
  action: 'Return only entries with this action.',
  merchantId: 'ID of the merchant. The response to the sign-in contains it.',
  id: 'ID of the object. A malformed ID, and the ID of an object of another merchant or of the other mode, returns `resource_not_found`.',
  linkId: 'ID of the payment link.',
  file: 'Name of the file, as in the pages that refer to it.',
  'getLogo.file': 'Name of the file: the SHA-256 of its content in hexadecimal, and `.png`, `.jpg` or `.webp`.',
  section: 'Name of the section, as in the links of `/docs`.',
  secret: 'Secret at the end of the `claimUrl` of the refund.',
  clientSecret:
    'Client secret of the payment, if it is not sent in the `Client-Secret` header. `EventSource` cannot send headers.',
  'Service-Version': 'API version for this request, if it is not the version of the key.',
  'Idempotency-Key':
    'Key for a safe retry: 1 to 255 printable ASCII characters that you choose. A repeated request with the same key and body is not carried out again, and gets the same response.',
}

/** `operation` is the name that the route declares for its operation. */
export const explainParameter = (name: string, operation = ''): string =>
  parameterDescriptions[`${operation}.${name}`] ?? parameterDescriptions[name] ?? explainField(name) ?? name

/** An example of the ID that follows this segment of a path. */
export const idExamples: Readonly<Record<string, string>> = {
  ...Object.fromEntries(exampleNames.map(name => [resources[name].path, exampleId(name)])),
  pay: exampleId('payment_link'),
  links: exampleId('payment_link'),
  claims: 'Zl9oVnqR6Jm3sCwJqYb0e7t4hTgKxUuP2dNaLf1iXyE',
}
