/** The introduction to the API reference. Only paragraphs, lists of `- ` and `code`: `src/pages/docs/prose.ts` renders nothing else. */
export const guide: readonly { readonly title: string; readonly text: string }[] = [
  {
    title: 'Authentication',
    text: `Your server authenticates with an API key. Send it with every request: \`Authorization: Bearer sk_test_…\`. A key belongs to one merchant and one mode, and its scopes limit what it can do. An owner or a developer of the merchant creates it. Its secret is shown only once, in the response.

Endpoints under \`/v1/merchants/…\` are for people who have signed in, such as the users of a dashboard. Send the access token from \`POST /v1/auth/sign-in\` in the same header. A token is valid for 15 minutes; \`POST /v1/auth/refresh\` returns a new one.

Endpoints under \`/v1/ops/…\` are for operators of the server. They need an access token of an account that is an operator, and the session must have been opened or confirmed with a second factor: a sign-in with a code, or \`POST /v1/auth/step-up\` with one. Only on a server that can be reached from its own machine alone, a session without a second factor is enough. API keys are never accepted.

Checkout endpoints need no key. Those for a single payment also need its client secret.`,
  },
  {
    title: 'Test mode',
    text: `Every merchant has a test mode and a live mode. Objects of one mode are not visible in the other. The prefix of an API key shows its mode: \`sk_test_\` or \`sk_live_\`. On endpoints for people who have signed in, \`livemode\` selects the mode of a list or of a new object. The default is test mode.

Members, invites, sessions and the audit log belong to both modes. They have no \`livemode\` field.

No real money is used in test mode. Payments are made on test networks, or on the sandbox chain (chain ID 31337). \`POST /v1/sandbox/payments/:id/simulate\` pays a test payment on the sandbox chain. Disputes exist in test mode only.`,
  },
  {
    title: 'Requests and responses',
    text: `Request bodies are JSON objects in UTF-8, of at most 64 KiB, with the header \`Content-Type: application/json\`. An empty body is treated as \`{}\`. Unknown fields and unknown query parameters are rejected with \`parameter_unknown\`. Pages for people, such as \`/pay/…\`, ignore unknown query parameters. Names, titles, descriptions, references and evidence must not contain Unicode bidirectional controls (U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069).

- Amounts of money are integers in the minor unit of the currency: \`4900\` is 49.00 EUR.
- Amounts on a chain are decimal strings in atomic units of the asset: \`"49000000"\` is 49 if the asset has 6 decimals.
- Times are ISO 8601 in UTC with milliseconds, except \`created\` of an event, which is in Unix seconds.
- IDs are opaque strings. Do not parse them.`,
  },
  {
    title: 'Errors',
    text: `An error response has this body: \`{"error":{"type","code","message","param"?,"details"?,"requestId"}}\`. Use \`code\` in your program. \`message\` is for people and can change. \`param\` is the field, query parameter or header that caused the error; its value is never repeated. \`requestId\` identifies the request in the log of the server. Every response also has it in the \`Request-Id\` header.

What the status of an object does not allow is refused with 409 \`state_conflict\`. \`details.status\` is its status. Where it is present, \`details.possible\` names what can be requested of the object now, by the last part of the path: such as \`cancel\` for \`POST /v1/subscriptions/:id/cancel\`. \`update\` is PATCH, and \`delete\` is DELETE.

A request is checked in this order: path (404) and method (405), too many wrong credentials from the IP address (429), credentials (401), API version (400), rate limit (429), scope, role and mode (403), size and media type of the body (413, 415), syntax (400), idempotency key, existence of the object (404), state of the object (409, 422). An object of another merchant or of the other mode returns the same error as an object that does not exist.`,
  },
  {
    title: 'Idempotency',
    text: `To retry a POST safely after a timeout or a crash, send an \`Idempotency-Key\` header. The work is done once. A repeated request with the same key gets the same status and body, byte for byte, with the header \`Idempotent-Replayed: true\`. The same key with another path or body returns 422 \`idempotency_key_reused\`.

Only successful responses are stored. After an error you can use the key again. Keys are separate for each merchant and mode, and are stored for 30 days. Refunds require a key, and it is stored permanently.`,
  },
  {
    title: 'Pagination',
    text: `A list is \`{"object":"list","data":[…],"has_more":…}\`, newest object first. For the next page, send the ID of the last object as \`startingAfter\`.

To read new objects continuously, use \`order=asc\` and store the ID of the last object. With it as \`startingAfter\`, the list returns every later object once and skips none. The ID can come from a list, a webhook or another response.`,
  },
  {
    title: 'Rate limits',
    text: `An API key can make 100 requests per second in live mode and 25 in test mode, with bursts of twice that number. All sessions of an account share one limit of 100 requests per second. Each server process counts separately. The operator of the server can change these numbers.

Every response to an authenticated request or a checkout request has the headers \`RateLimit\` and \`RateLimit-Policy\`. A request above the limit returns 429 with \`Retry-After\`, in seconds.

Checkout requests are counted by IP address (IPv6: by /64 network): 10 requests per second with bursts of 20, and 60 open event streams. If your server sends checkout requests for many customers from one address, ask the operator to add this address to \`TRUSTED_PROXIES\`; the customers are then counted by \`X-Forwarded-For\`.`,
  },
  {
    title: 'Versioning',
    text: `The current API version is \`2026-11-20\`; it is the first. A key uses the version that was current when the key was created. The header \`Service-Version\` selects another version for one request. Every response to a request with an API key names its version in the same header.

New fields, error codes and event types do not change the version. Your program must ignore fields and types that it does not know.`,
  },
  {
    title: 'Payment lifecycle',
    text: `A customer opens a payment link, picks an asset, and sends the money to the deposit address of the payment. No other payment uses this address.

- \`pending\`: no money was seen on the chain, or less than the amount due. A payment can be canceled as long as no money was seen.
- \`processing\`: the amount was seen on the chain but is not final. If a reorganization of the chain removes the transfer, the payment returns to \`pending\`. The first time this happens, the payment window stays open for at least 10 more minutes. \`payment.processing\` is sent once for each transaction.
- \`success\`: paid and final. This status never changes. Ship now.
- \`failed\`: the money that was sent does not pay the amount due. \`failureReason\` has the reason.
- \`expired\`: the payment window ended and no money was received in time.
- \`canceled\`: you canceled the payment.

Money that arrives after the payment window is not lost. Depending on \`latePolicy\` in your settings, it completes the payment, or the payment gets \`exception: late\` and needs your attention.

A transfer that arrives in the payment window but after \`quote.expiresAt\` is late too. First it appears only in \`crypto.transfers\`. Once it is final, it ends the payment window, \`payment.late\` is sent, and the payment needs your attention.`,
  },
  {
    title: 'Webhooks',
    text: `A webhook endpoint receives the events of the types that it lists, each in a separate POST request. Any 2xx response within 15 seconds is a successful delivery. A redirect (3xx) is a failure that is not repeated. After any other result the request is repeated: after 5 seconds, 60 seconds, 12 minutes and 2 hours, each up to 20% later, or up to twice as late if the \`Retry-After\` header of your response asks for it. There are at most five automatic attempts.

An event can arrive more than once, and events can arrive in any order. Use the \`id\` of the event to ignore repetitions. If the order matters, read the object from the API.

To verify the signature of a request:

- Use the raw bytes of the body. A body that was parsed and serialized again has another signature.
- Read \`t\` and every \`v1\` from the header \`Service-Signature\`. There are two \`v1\` values while a secret is being replaced.
- Compute the HMAC-SHA256 over \`t\`, a period and the body, in hexadecimal. The key is the complete signing secret.
- Compare it with the \`v1\` values in constant time. Reject the request if \`t\` differs from the current time by more than 5 minutes.
- Send the response first, then process the event.

The headers \`webhook-id\`, \`webhook-timestamp\` and \`webhook-signature\` contain the same information in the format of Standard Webhooks, for its libraries.

An endpoint is disabled if it has not returned a 2xx response for 72 hours and ten deliveries have failed. It is also disabled if the last attempt of a delivery returns 410.`,
  },
  {
    title: 'Custom checkout',
    text: `The page of a payment link uses the checkout endpoints, and your own page can use them too. Browsers give responses only to pages of the same origin. If your page has another origin, send the requests from your server.

- Read the link. \`options\` lists the assets that it can be paid with now. An \`amount\` of \`49000000\` with 6 \`decimals\` is 49.
- Open a payment when the customer continues, not when the page loads, because the payment window starts at this moment. Store \`clientSecret\` so that it survives a reload of the page: it is shown only once, and the payment cannot be read without it.
- Pick an asset, when the payment is opened or later. Show \`address\`, \`amountExpected\` and \`network\`, and \`paymentUri\` as a QR code, until \`expiresAt\`.
- When \`quote.expiresAt\` is over, pick the asset again for a new price. This returns 409 once money has arrived.
- If money arrives after the price has expired, it is in \`transfers\`, and \`paymentUri\` has no amount. Do not ask the customer for more money: the merchant decides about the payment.
- Read the event stream. \`pending\` with \`exception: underpaid\` means that the customer has to send the rest; \`paymentUri\` asks for it. During \`processing\`, show \`confirmations\`.
- Ship after the event \`payment.succeeded\`, or when your server reads \`success\` from the API. Do not trust the browser.`,
  },
  {
    title: 'Event stream',
    text: `\`GET /v1/checkout/payments/:id/stream\` sends the payment as server-sent events, for \`EventSource\`: once when it connects, and after each change. Close the stream when the status is \`success\`, \`failed\`, \`expired\` or \`canceled\`.

Your server does not need a stream. Use webhooks, or poll \`GET /v1/events\` with \`order=asc\` and \`startingAfter\`.`,
  },
]
