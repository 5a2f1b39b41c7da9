import { encodeId } from '../ids.ts'
import type { Membership } from '../queries/merchants.ts'

/** A merchant of the account, with the role. */
export const merchantRecord = ({ merchantId, name, role }: Membership) => ({
  id: encodeId('mer', merchantId),
  name,
  role,
})
