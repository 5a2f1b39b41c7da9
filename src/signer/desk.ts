import type { Services } from '../actors/services.ts'
import type { Chains } from '../chain/enabled/connect.ts'
import type { Keyring } from '../keyring.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'

/** What whoever signs is given. */
export type SigningDesk = Services & {
  readonly chains: Chains
  readonly keyring: Keyring
  /** Where each merchant has a signer that fills itself. */
  readonly sandbox: Pick<Sandbox, 'url' | 'epoch' | 'busy'> | undefined
  /** Told of each step, and waited for: for tests that end the process between two, or hold it there. */
  readonly at?: (step: SigningStep) => unknown
}

export type SigningStep =
  | 'allocated'
  | 'signed'
  | 'stored'
  | 'broadcast'
  | 'recorded'
  | 'replaced'
  | 'found'
  | 'told'
  | 'closed'
