/** A problem that the operator has to fix before the program can start. Only the message is printed. */
export class StartError extends Error {
  override readonly name = 'StartError'
}

/** The cause of a failed start, if stopping the started parts has failed as well. */
export const causeOf = (error: unknown): unknown =>
  error instanceof SuppressedError ? causeOf(error.suppressed) : error
