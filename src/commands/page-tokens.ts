import type { PageToken } from '../../machines/invoice-events.ts'
import { hashPageToken, makePageToken } from '../access/page-token.ts'
import type { Services } from '../actors/services.ts'
import type { Keyring } from '../keyring.ts'

/** A secret for the address of the page of a record, encrypted for that record. */
export const newPageToken = (
  { random, keyring }: Services & { readonly keyring: Keyring },
  purpose: string,
  id: string,
): PageToken => {
  const token = makePageToken(random)
  return { tokenHash: hashPageToken(token) ?? '', sealedToken: keyring.seal(purpose, id, token) }
}
