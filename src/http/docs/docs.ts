import type { Code } from '../../errors.ts'
import type { Descriptions, Shape } from '../../fields/shape.ts'

/**
 * The documentation that a route declares. The rest is derived from its access, body, query and path: authentication,
 * headers and most errors.
 */
export type Docs = {
  /** Name of the method in generated clients: `createPaymentLink`. */
  readonly operation: string
  /** Heading in the imperative: `Create a payment link`. */
  readonly summary: string
  /** Facts for the caller that no schema contains. */
  readonly description?: string
  /** By status. `null`: no body. A string: an HTML page with this description. `events`: a stream of such events. `plain`: plain text, with this example. `file`: a file with this description. */
  readonly answers: Readonly<Partial<Record<Status, DocumentedAnswer | null>>>
  /**
   * Error codes of the route itself. `idempotency_key_reused` adds the `Idempotency-Key` header, and
   * `idempotency_key_required` makes it required.
   */
  readonly refusals?: readonly Code[]
  /** Authentication of a route without a guard, which checks the caller itself. Default: `nobody`, which means none. */
  readonly callers?: readonly ('nobody' | 'session' | 'refreshCookie' | 'clientSecret')[]
  /** Descriptions of fields of the body. Without one, that of the same field of the response applies, or of the glossary. */
  readonly fields?: Descriptions
  /** Example of a request body. */
  readonly example?: Readonly<Record<string, unknown>>
}

export type DocumentedAnswer = Shape | EventStream | PlainText | SentFile | string

/** Server-sent events of a name. */
export type EventStream = { readonly events: Shape; readonly event: string }

export type PlainText = { readonly plain: string }

export type SentFile = { readonly file: string }

type Status = 101 | 200 | 201 | 204 | 303 | 400 | 403 | 404 | 409 | 410 | 422 | 503
