import type { SandboxHead } from './ask.ts'

/** Whoever has the node of the sandbox: ourselves, a neighbour, or the operator. */
export type Keeper = {
  readonly url: string
  /**
   * Another one says that the chain did not go on from where it was: blocks may be gone however deep
   * they lay. Undefined while that is not known, as when another process takes the chain over.
   */
  epoch(): string | undefined
  /** Before every look at the chain; throws when it must not be used. */
  look(): Promise<void>
  /** After every look; idle when nothing waits. */
  save(head: SandboxHead, idle: boolean): Promise<void>
  stop(): Promise<void>
}
