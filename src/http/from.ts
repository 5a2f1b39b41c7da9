import type { Checked } from '../commands/password-checks.ts'
import { limitGroup, siteOf } from './address.ts'

/** The origin of a request, for sessions and limits. */
export const fromOf = ({ address, headers }: { readonly address: string; readonly headers: Headers }): Checked => ({
  address,
  network: limitGroup(address),
  site: siteOf(address),
  userAgent: headers.get('user-agent')?.slice(0, 300).toWellFormed() ?? null,
})
