import { type Type, type } from 'arktype'
import type { Customer } from '../../machines/customer.ts'
import type { Actor } from '../actors/kind.ts'
import { actorFields, constantField, idField } from '../fields/every-record.ts'
import { postalAddress } from '../fields/postal-address.ts'
import { recordOf } from '../fields/record.ts'
import { text, textOrNull, texts } from '../fields/wire.ts'
import { encodeId } from '../ids.ts'

/** A customer as in events. Responses add the other e-mail addresses and the totals. */
export const customerRecord = recordOf<Actor<Customer>>()('Customer', {
  object: constantField('customer'),
  id: idField('customer', customer => customer.id),
  merchantId: actorFields.merchantId,
  email: {
    type: text,
    about:
      'E-mail address. A merchant has one customer per address and mode. Addresses are compared without regard to letter case.',
    example: 'ada@example.com',
    of: ({ context }) => context.email,
  },
  name: {
    type: textOrNull,
    about: 'Name of the person. Null if not set.',
    example: 'Ada Example',
    of: ({ context }) => context.name,
  },
  company: {
    type: textOrNull,
    about: 'Name of the company. Null if not set.',
    example: 'Example Ltd',
    of: ({ context }) => context.company,
  },
  taxId: {
    type: textOrNull,
    about: 'Tax identification number. It is not checked. Null if not set.',
    example: 'GB999999973',
    of: ({ context }) => context.taxId,
  },
  address: {
    inside: postalAddress.inside,
    type: () => postalAddress.type().or('null'),
    about: 'Postal address. Null if not set.',
    example: postalAddress.example,
    of: ({ context }) => (context.address === null ? null : postalAddress.render(context.address)),
  },
  locale: {
    type: textOrNull,
    about: 'Language for documents, as a BCP 47 tag. Null if not set.',
    example: 'en',
    of: ({ context }) => context.locale,
  },
  reference: {
    type: textOrNull,
    about: 'Your own identifier of the customer, such as an account number. Unique. Null if not set.',
    example: 'account 7',
    of: ({ context }) => context.reference,
  },
  source: {
    type: (): Type<'merchant' | 'checkout'> => type("'merchant' | 'checkout'"),
    about: '`merchant`: you created it. `checkout`: the first payment of the e-mail address created it.',
    example: 'merchant',
    of: ({ context }) => context.source,
  },
  mergedIntoId: {
    type: textOrNull,
    about: 'Customer that this one was merged into. Null unless it was merged.',
    example: null,
    of: ({ context }) => (context.mergedIntoId === null ? null : encodeId('cus', context.mergedIntoId)),
  },
  erasedAt: {
    type: textOrNull,
    about: 'Time at which the personal data was erased. Null if it was not.',
    example: null,
    of: ({ context }) => context.erasedAt?.toISOString() ?? null,
  },
  testClockId: {
    type: textOrNull,
    about: 'Test clock that the customer belongs to, in test mode. Null if none.',
    example: null,
    of: ({ context: { testClockId } }) => (testClockId === null ? null : encodeId('clk', testClockId)),
  },
  metadata: { type: texts, example: { tier: 'gold' }, of: ({ context }) => context.metadata },
  livemode: actorFields.livemode,
  createdAt: actorFields.createdAt,
  updatedAt: actorFields.updatedAt,
})
