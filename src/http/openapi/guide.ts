/** What a caller should know before the first request. Paragraphs, lists of `- `, and `code`. */
export const guide: readonly { readonly title: string; readonly text: string }[] = [
  {
    title: 'Who calls',
    text: `A merchant's server sends its API key with every request: \`Authorization: Bearer sk_test_…\`. A key belongs to one merchant and one mode, and has scopes; a person makes it, and sees it once. What lies under \`/v1/merchants/…\` is for people who have signed in: the access token of \`POST /v1/auth/sign-in\` goes where the key would go.

Everything exists twice, for test mode and for live mode, and neither sees the other. What belongs to no mode has no \`livemode\`: members, invites, sessions and the audit log.`,
  },
  {
    title: 'What it speaks',
    text: `JSON in UTF-8, in objects of at most 64 KiB, sent as \`application/json\`. An empty body is as good as \`{}\`. Fields and query parameters that are not declared are refused by name; pages for people leave what is not theirs in the address alone. Names, titles, descriptions, references and evidence must not contain Unicode bidirectional controls (U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069).

Money is an integer of minor units, amounts on a chain are decimal texts of atomic units, and times are ISO 8601 in UTC with milliseconds. Ids are opaque.`,
  },
  {
    title: 'Errors',
    text: `Every refusal is \`{"error":{"type","code","message","param"?,"details"?,"requestId"}}\`. Go by \`code\`; \`param\` names the field, parameter or header to blame, and what was in it is never repeated. \`requestId\` is in the header \`Request-Id\` too, of every answer.

Checks come in this order: path (404) and method (405), an address with too many 401s (429), who calls (401), version (400), rate (429), scope and mode (403), size and media type (413, 415), syntax (400), idempotency, existence (404), state (409, 422). A record of another merchant, or of the other mode, answers exactly as a missing one.`,
  },
  {
    title: 'Doing it once',
    text: `A POST with an \`Idempotency-Key\` may be sent again, after a timeout or a crash: the work is done once, and the answer is the first one's, byte by byte, with \`Idempotent-Replayed: true\`. The same key with anything else is 422 \`idempotency_key_reused\`. A refusal leaves the key free. Refunds need a key, and keep it for good; elsewhere it is kept for 30 days.`,
  },
  {
    title: 'Lists',
    text: `A list is \`{"object":"list","data":[…],"has_more":…}\`, newest first. For the next page send the last id as \`startingAfter\`. Oldest first, \`order=asc\` and a stored \`startingAfter\` read every later record once and skip none, wherever you learned the id: in a list, a webhook or an answer. That is how events are polled.`,
  },
  {
    title: 'Limits',
    text: `A key may make 100 requests a second in live mode and 25 in test mode, and twice that at once, unless the operator says otherwise. \`RateLimit\` and \`RateLimit-Policy\` tell where you stand on every answer; beyond it is 429 with \`Retry-After\`. The sessions of an account share one limit of 100 requests a second.

Checkouts have no keys, so an address is what is counted: 10 requests a second and twice that at once, unless the operator says otherwise, and 60 open streams. Whoever calls for many customers from one address asks the operator to trust it as a proxy.`,
  },
  {
    title: 'Versions',
    text: `The version is \`2026-11-20\`, the first. A key is pinned to the version it was made with; \`Service-Version\` asks for another one, and every answer says which it is in. New fields, new codes and new event types make no new version: do not stumble over what you do not know.`,
  },
  {
    title: 'The life of a payment',
    text: `A customer opens a payment link, picks what to pay with, and sends it to an address that is this payment's alone.

- \`pending\`: nothing seen yet, or less than is due. Nothing seen, it can be canceled.
- \`processing\`: enough was seen on the chain and is not final. A reorganisation takes it back to \`pending\`. The first time that happens to a payment, it stays open for at least ten more minutes. \`payment.processing\` is sent once for each transaction.
- \`success\`: final, and never left. Ship now.
- \`failed\`: what was sent does not pay it; \`failureReason\` says why.
- \`expired\`: the window is over, and nothing came.
- \`canceled\`: by you.

Money that comes too late is not lost: by your settings it is a success after all, or waits for you with \`exception: late\`. What came in the window and after \`quote.expiresAt\` is late as well: until the window ends it stands in \`crypto.transfers\` alone, and no event tells of it; then it waits for you.`,
  },
  {
    title: 'Webhooks',
    text: `An endpoint is told of the events whose types it lists, each in a POST of its own. A 2xx within 15 seconds delivers it; a redirect ends it; anything else is tried again after 5 seconds, 60 seconds, 12 minutes and 2 hours, or up to twice as long where \`Retry-After\` asks for it, five times in all. The same event may come twice, and events in any order: go by its \`id\`, and read the record where order matters.

- Take the body as the bytes that came. Parsed and written again it is another text, and no signature fits.
- Split \`Service-Signature\` into \`t\` and every \`v1\`: while a secret is being replaced there are two.
- Compute HMAC-SHA256, with the whole signing secret as the key, over \`t\`, a period and the body, in hexadecimal digits; compare in constant time, and refuse what is more than five minutes off.
- Answer first and work afterwards.

\`webhook-id\`, \`webhook-timestamp\` and \`webhook-signature\` say the same to libraries for the Standard Webhooks. An endpoint that has not answered with a 2xx for three days, while ten deliveries failed for good, is disabled; so is one that answers the last attempt with 410.`,
  },
  {
    title: 'A checkout of your own',
    text: `What lies under Checkout is what the page of a payment link calls. Another page may as well, at the same address: to pages of other origins browsers do not give the answers, so those call by their own server.

- Read the link. \`options\` is what it can be paid with now; an \`amount\` of \`49000000\` with 6 \`decimals\` is 49.
- Open a payment. It has a window, so do it when the customer goes on and not when the page is loaded. Keep \`clientSecret\` where a reload finds it: it is told once, and without it the payment cannot be seen.
- Pick an asset, there or later. Show \`address\`, \`amountExpected\` and \`network\`, and \`paymentUri\` as a QR code, until \`expiresAt\`. When \`quote.expiresAt\` is over, pick again for a fresh price. Once something has come, that is refused with 409, and not needed; what came after the price was over is in \`transfers\`, and the merchant is told at \`expiresAt\`: ask for no more then, \`paymentUri\` names no amount.
- Open the stream with \`EventSource\`, and show what it tells: \`pending\` with \`exception: underpaid\` asks for the rest, which \`paymentUri\` does too; \`processing\` counts \`confirmations\`. After \`success\`, \`failed\`, \`expired\` and \`canceled\` close it.
- Ship by the event \`payment.succeeded\` or what your server reads, and never by what a browser says.`,
  },
]
