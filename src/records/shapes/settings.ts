import { type } from 'arktype'
import { example, exampleId } from '../../fields/examples.ts'
import { shape } from '../../fields/shape.ts'
import { address, count, idOf, time } from '../../fields/wire.ts'

export const settingsShape = shape({
  name: 'Settings',
  type: () =>
    type({
      object: "'settings'",
      id: idOf('mer'),
      merchantId: idOf('mer'),
      livemode: 'boolean',
      name: 'string',
      branding: {
        logoUrl: 'string | null',
        accentColor: type(/^#[0-9a-f]{6}$/).or('null'),
        supportEmail: 'string | null',
        supportUrl: 'string | null',
      },
      receivingAddress: address().or('null'),
      receivingAddresses: type({ '[string]': address() }),
      confirmations: type({ '[string]': count() }),
      toleranceBps: count(),
      latePolicy: "'accept_stablecoins' | 'needs_attention'",
      refundMode: "'manual' | 'signer'",
      createdAt: time(),
      updatedAt: time(),
    }),
  example: {
    object: 'settings',
    id: exampleId('merchant'),
    merchantId: exampleId('merchant'),
    livemode: false,
    name: 'Lamps',
    branding: {
      logoUrl: 'https://pay.lamps.shop/logos/9c56cc51b374c3ba189210d5b6d4bf57790d351c96c47c02190ecf1e430635ab.png',
      accentColor: '#0b7285',
      supportEmail: 'help@lamps.shop',
      supportUrl: null,
    },
    receivingAddress: example.address,
    receivingAddresses: {},
    confirmations: { '31337': 3 },
    toleranceBps: 50,
    latePolicy: 'accept_stablecoins',
    refundMode: 'manual',
    createdAt: example.at,
    updatedAt: example.at,
  },
})
