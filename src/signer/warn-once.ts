import type { Signer } from '../queries/refund-signers.ts'
import type { SigningDesk } from './desk.ts'

const told = new Set<string>()

/** What stays as it is until somebody does something is told once by each process, not at every look. */
export const warnOnce = (
  { log }: SigningDesk,
  { id, address, chain_id }: Signer,
  { nonce, action }: { readonly nonce: number; readonly action: string },
  what: string,
): void => {
  const key = `${id} ${nonce} ${what}`
  if (told.has(key)) return
  told.add(key)
  log.warn({ chain: Number(chain_id), signer: address, nonce, action }, what)
}
