import type { Signer } from '../queries/refund-signers.ts'
import type { SigningServices } from './signing-services.ts'

const logged = new Set<string>()

/** Logs a condition that lasts until an operator acts once per process, not at every check. */
export const warnOnce = (
  { log }: SigningServices,
  { id, address, chain_id }: Signer,
  { nonce, action }: { readonly nonce: number; readonly action: string },
  what: string,
): void => {
  const key = `${id} ${nonce} ${what}`
  if (logged.has(key)) return
  logged.add(key)
  log.warn({ chain: Number(chain_id), signer: address, nonce, action }, what)
}
