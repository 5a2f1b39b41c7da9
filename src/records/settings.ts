import { type } from 'arktype'
import { constantField, idField, rowFields } from '../fields/every-record.ts'
import { example } from '../fields/examples.ts'
import { groupOf, recordOf } from '../fields/record.ts'
import { address, count, text, textOrNull } from '../fields/wire.ts'
import type { SettingsRow } from '../queries/settings.ts'
import { logoUrlOf } from './logo-url.ts'

/** Base URL of this server, without a slash at the end. */
type PublicUrl = { readonly publicUrl: string }

const branding = groupOf<SettingsRow, PublicUrl>()({
  logoUrl: {
    type: textOrNull,
    about:
      'URL of your logo, on this server. It is set with `POST /v1/merchants/:merchantId/settings/logo`. Null if there is none.',
    example: 'https://pay.lamps.shop/logos/9c56cc51b374c3ba189210d5b6d4bf57790d351c96c47c02190ecf1e430635ab.png',
    of: (row, { publicUrl }) => logoUrlOf(publicUrl, row.logo),
  },
  accentColor: {
    type: () => type(/^#[0-9a-f]{6}$/).or('null'),
    about: 'Accent color: `#` and six hexadecimal digits. Null if not set.',
    example: '#0b7285',
    of: row => row.accent_color,
  },
  supportEmail: {
    type: textOrNull,
    about: 'E-mail address of your customer support. Null if not set.',
    example: 'help@lamps.shop',
    of: row => row.support_email,
  },
  supportUrl: {
    type: textOrNull,
    about: 'Page of your customer support (http or https). Null if not set.',
    example: null,
    of: row => row.support_url,
  },
})

/** The settings of a merchant for one mode. Name and branding apply to both modes. */
export const settingsRecord = recordOf<SettingsRow, PublicUrl>()('Settings', {
  object: constantField('settings'),
  id: { ...idField('merchant', (row: SettingsRow) => row.merchant_id), about: 'ID of the merchant.' },
  merchantId: rowFields.merchantId,
  livemode: rowFields.livemode,
  name: { type: text, example: 'Lamps', of: row => row.name },
  branding: { ...branding, about: 'Branding of the pages for your customers.', of: branding.render },
  receivingAddress: {
    type: () => address().or('null'),
    about:
      'Your address that receives the money, on every chain. It cannot be the contract of a token, or the deposit address of a payment. Null if not set.',
    example: example.address,
    of: row => row.receiving_address,
  },
  receivingAddresses: {
    type: () => type({ '[string]': address() }),
    about: 'Receiving addresses for single chains, by chain ID. They replace `receivingAddress` on these chains.',
    example: {},
    of: row => row.receiving_addresses,
  },
  confirmations: {
    type: () => type({ '[string]': count() }),
    about:
      'Number of confirmations after which a payment is final, by chain ID. Only chains with a value that differs from the default.',
    example: { '31337': 3 },
    of: row => row.confirmations,
  },
  toleranceBps: {
    type: count,
    about:
      'Tolerance for underpayment, in basis points (hundredths of a percent): 50 accepts payments that are up to 0.5% below the amount due.',
    example: 50,
    of: row => row.tolerance_bps,
  },
  latePolicy: {
    type: () => type("'accept_stablecoins' | 'needs_attention'"),
    about:
      'What to do with money that arrives after the payment window. `accept_stablecoins`: a stablecoin of the currency of the payment completes the payment if the amount is sufficient; other money needs your attention. `needs_attention`: all of it needs your attention. Money that arrives in the window after the price has expired always needs your attention.',
    example: 'accept_stablecoins',
    of: row => row.late_policy,
  },
  refundMode: {
    type: () => type("'manual' | 'signer'"),
    about:
      'Who signs refunds. `manual`: you do. `signer`: the refund signer that the operator of the server has added for the chain; on chains without one, you do. A change applies from then on: a refund for which you have been shown a transaction stays with you.',
    example: 'manual',
    of: row => row.refund_mode,
  },
  createdAt: rowFields.createdAt,
  updatedAt: rowFields.updatedAt,
})
