import type { ConnectedChain } from '../../chain/enabled/connect.ts'

/** A chain up to its final block, which is what is compared. */
export type Compared = ConnectedChain & {
  /** First block that was read. Earlier blocks are not recorded. */
  readonly begunNumber: number
  readonly final: { readonly number: number; readonly hash: string }
  /** Blocks before this time belong to a lost sandbox chain. */
  readonly lostBefore: Date | null
}
