/** Something the operator has to put right before the program can start. The message is the one line they see. */
export class StartError extends Error {
  override readonly name = 'StartError'
}

/** What a start failed with, where ending what it had begun failed as well. */
export const causeOf = (error: unknown): unknown =>
  error instanceof SuppressedError ? causeOf(error.suppressed) : error
