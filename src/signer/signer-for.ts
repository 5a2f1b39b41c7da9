import type { Refund } from '../../machines/refund.ts'
import { sandboxId } from '../chain/known/sandbox.ts'
import { uuidv7 } from '../ids.ts'
import { findSandboxSigner, findSigner, type Signer } from '../queries/refund-signers.ts'
import { sandboxTreasury } from '../sandbox/treasury.ts'
import type { SigningDesk } from './desk.ts'

/** Who signs a refund; undefined where its merchant does so by hand. In the sandbox that is its treasury, always. */
export const signerFor = async (
  desk: SigningDesk,
  { merchantId, chainId, livemode }: Refund,
): Promise<Signer | undefined> => {
  const { sql, clock, random } = desk
  if (!isOfSandbox(desk, chainId)) return findSigner(sql, { merchantId, chainId, livemode })
  const epoch = desk.sandbox?.epoch()
  // It is not known which chain that is now, or whether there is one.
  if (epoch === undefined) return undefined
  const id = uuidv7(clock.now(), random)
  return findSandboxSigner(sql, { id, merchantId, chainId, epoch, address: sandboxTreasury(merchantId) })
}

export const isOfSandbox = ({ sandbox }: Pick<SigningDesk, 'sandbox'>, chainId: number): boolean =>
  sandbox !== undefined && chainId === sandboxId
