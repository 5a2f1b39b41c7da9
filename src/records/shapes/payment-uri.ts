import { type } from 'arktype'
import { example } from '../../fields/examples.ts'
import { shape } from '../../fields/shape.ts'

export const paymentUriShape = shape({
  name: 'PaymentUri',
  type: () => type({ object: "'payment_uri'", paymentUri: 'string', qrCode: 'string' }),
  example: {
    object: 'payment_uri',
    paymentUri: `ethereum:${example.address}@31337/transfer?address=${example.address}&uint256=16200000`,
    qrCode: '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 57 57" role="img">…</svg>',
  },
})
