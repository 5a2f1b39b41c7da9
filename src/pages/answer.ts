/** Names of headers in lower case. */
export type HeaderFields = Readonly<Record<string, string>>

export type TextAnswer = {
  readonly status: number
  readonly text: string | Uint8Array<ArrayBuffer> | ReadableStream
  readonly headers: HeaderFields
  /** The client may stop reading for longer than connections can be idle: the stream ends by itself. */
  readonly mayPause?: true
}

/** The text is a complete string. */
export type WholeText = TextAnswer & { readonly text: string }
