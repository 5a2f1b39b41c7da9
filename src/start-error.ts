/** Something the operator has to put right before the program can start. The message is the one line they see. */
export class StartError extends Error {
  override readonly name = 'StartError'
}
