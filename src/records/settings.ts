import { encodeId } from '../ids.ts'
import type { SettingsRow } from '../queries/settings.ts'
import { logoUrlOf } from './logo-url.ts'

/** The settings of a merchant for one mode. Name and branding apply to both modes. */
export const settingsRecord = (row: SettingsRow, publicUrl: string) => ({
  object: 'settings',
  id: encodeId('mer', row.merchant_id),
  merchantId: encodeId('mer', row.merchant_id),
  livemode: row.livemode,
  name: row.name,
  branding: {
    logoUrl: logoUrlOf(publicUrl, row.logo),
    accentColor: row.accent_color,
    supportEmail: row.support_email,
    supportUrl: row.support_url,
  },
  receivingAddress: row.receiving_address,
  receivingAddresses: row.receiving_addresses,
  confirmations: row.confirmations,
  toleranceBps: row.tolerance_bps,
  latePolicy: row.late_policy,
  refundMode: row.refund_mode,
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
})
