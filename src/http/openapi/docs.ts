import type { Code } from '../../errors.ts'
import type { Shape } from '../../records/shapes/shape.ts'

/**
 * What a route says of itself in the interface's document. Whatever follows from its access, body, query
 * and path – who may call it, the headers, most refusals – is not said here.
 */
export type Docs = {
  /** Its name in clients that are made from the document: `createPaymentLink`. */
  readonly operation: string
  /** A heading, as an order: `Create a payment link`. */
  readonly summary: string
  /** What a caller should know and no schema says. */
  readonly description?: string
  /** By status; `null`: there is nothing in it; a text: a page that says so; `events`: what those of a stream hold; `plain`: a text like this one. */
  readonly answers: Readonly<Partial<Record<Status, Shape | EventStream | PlainText | string | null>>>
  /**
   * Codes it may refuse with of its own accord. `idempotency_key_reused` brings the header along,
   * and `idempotency_key_required` makes it required.
   */
  readonly refusals?: readonly Code[]
  /** Who may call a route that is open to anybody and looks for itself. Nobody in particular, unless it says so. */
  readonly callers?: readonly ('nobody' | 'session' | 'refreshCookie' | 'clientSecret')[]
  /** A body as one sends it. */
  readonly example?: Readonly<Record<string, unknown>>
}

/** Server-sent events. */
export type EventStream = { readonly events: Shape }

export type PlainText = { readonly plain: string }

type Status = 200 | 201 | 204 | 404 | 409 | 410 | 422 | 503
