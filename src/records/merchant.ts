import { encodeId } from '../ids.ts'
import type { Membership } from '../queries/merchants.ts'

/** A merchant as somebody who has signed in is told of it. */
export const merchantRecord = ({ merchantId, name, role }: Membership) => ({
  id: encodeId('mer', merchantId),
  name,
  role,
})
