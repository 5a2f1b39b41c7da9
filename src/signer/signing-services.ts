import type { Services } from '../actors/services.ts'
import type { Chains } from '../chain/enabled/connect.ts'
import type { Keyring } from '../keyring.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'

/** What the refund signers need. */
export type SigningServices = Services & {
  readonly chains: Chains
  readonly keyring: Keyring
  /** In the sandbox each merchant has a signer, which funds itself. */
  readonly sandbox: Pick<Sandbox, 'url' | 'epoch' | 'keepMining'> | undefined
  /** Called and awaited after each step, for tests that end or pause the process there. */
  readonly onStep?: (step: SigningStep) => unknown
}

export type SigningStep =
  | 'allocated'
  | 'signed'
  | 'stored'
  | 'broadcast'
  | 'recorded'
  | 'replaced'
  | 'found'
  | 'reported'
  | 'closed'
