import { type Type, type } from 'arktype'
import { encodeId } from '../ids.ts'
import { type ExampleName, resources } from '../resources.ts'
import { example, exampleId } from './examples.ts'
import { flag, idOf, time } from './wire.ts'

/** Fields that all records have, or most of them. Their descriptions are in the glossary. */

/** A text that is the same in all records of a kind, such as `object`. */
export const constantField = (text: string) => ({
  type: (): Type<string> => type.unit(text),
  example: text,
  of: () => text,
})

/** The ID of this record or of another one. `of`: the UUID. */
export const idField = <Source>(name: Prefixed, of: (source: Source) => string) => {
  const { prefix } = resources[name]
  return {
    type: () => idOf(prefix),
    example: exampleId(name),
    of: (source: Source) => encodeId(prefix, of(source)),
  }
}

/** The resources whose IDs have a prefix. */
type Prefixed = { [Name in ExampleName]: (typeof resources)[Name]['prefix'] extends string ? Name : never }[ExampleName]

/** The fields of an actor's record that do not depend on its kind. */
export const actorFields = {
  merchantId: idField('merchant', ({ context }: Owned) => context.merchantId),
  livemode: { type: flag, example: false, of: ({ context }: Owned) => context.livemode },
  createdAt: { type: time, example: example.at, of: ({ createdAt }: Owned) => createdAt.toISOString() },
  updatedAt: { type: time, example: example.at, of: ({ updatedAt }: Owned) => updatedAt.toISOString() },
} as const

/** An actor of a merchant. */
type Owned = {
  readonly context: { readonly merchantId: string; readonly livemode: boolean }
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** The fields of the record of a row that do not depend on its table. */
export const rowFields = {
  merchantId: idField('merchant', (row: { readonly merchant_id: string }) => row.merchant_id),
  livemode: { type: flag, example: false, of: (row: { readonly livemode: boolean }) => row.livemode },
  createdAt: {
    type: time,
    example: example.at,
    of: (row: { readonly created_at: Date }) => row.created_at.toISOString(),
  },
  updatedAt: {
    type: time,
    example: example.at,
    of: (row: { readonly updated_at: Date }) => row.updated_at.toISOString(),
  },
} as const
