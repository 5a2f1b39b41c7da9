import type { Checked } from '../commands/password-checks.ts'
import { limitGroup, siteOf } from './address.ts'

/** Where a request comes from, as sessions and limits remember it. */
export const fromOf = ({ address, headers }: { readonly address: string; readonly headers: Headers }): Checked => ({
  address,
  network: limitGroup(address),
  site: siteOf(address),
  userAgent: headers.get('user-agent')?.slice(0, 300).toWellFormed() ?? null,
})
