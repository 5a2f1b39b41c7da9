import type { SandboxHead } from './node-client.ts'

/** The node of the sandbox: run by this process, by another one, or by the operator. */
export type SandboxNode = {
  readonly url: string
  /**
   * Changes when the chain does not continue from its last saved state, so that even final blocks may be gone. Undefined
   * while it is not known, for example while another process takes over.
   */
  epoch(): string | undefined
  /**
   * Called by the node monitor before it checks the node, once a second. May take over the node of a process that has
   * ended. Throws if the node must not be used.
   */
  prepare(): Promise<void>
  /** Called after every check. Does nothing for a node that the operator runs. `idle`: nothing waits for blocks. */
  save(head: SandboxHead, idle: boolean): Promise<void>
  stop(): Promise<void>
}
