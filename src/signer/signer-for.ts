import type { Refund } from '../../machines/refund.ts'
import { sandboxId } from '../chain/known/sandbox.ts'
import { uuidv7 } from '../ids.ts'
import { findSandboxSigner, findSigner, type Signer } from '../queries/refund-signers.ts'
import { sandboxTreasury } from '../sandbox/treasury.ts'
import type { SigningServices } from './signing-services.ts'

/**
 * The signer of a refund; undefined if its merchant signs manually. In the sandbox it is always the merchant's
 * treasury.
 */
export const signerFor = async (
  services: SigningServices,
  { merchantId, chainId, livemode }: Refund,
): Promise<Signer | undefined> => {
  const { sql, clock, random } = services
  if (!isOfSandbox(services, chainId)) return findSigner(sql, { merchantId, chainId, livemode })
  const epoch = services.sandbox?.epoch()
  // The epoch of the sandbox chain is not known at the moment.
  if (epoch === undefined) return undefined
  const id = uuidv7(clock.now(), random)
  return findSandboxSigner(sql, { id, merchantId, chainId, epoch, address: sandboxTreasury(merchantId) })
}

export const isOfSandbox = ({ sandbox }: Pick<SigningServices, 'sandbox'>, chainId: number): boolean =>
  sandbox !== undefined && chainId === sandboxId
