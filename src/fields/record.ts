import { type Type, type } from 'arktype'
import { lazy } from '../lazy.ts'
import type { Descriptions, Shape } from './shape.ts'

/** A field of a record. Its type, description, example and value are declared here and nowhere else. */
export type Field<Source, Given, Value> = {
  readonly type: () => Type<Value>
  /** What it holds, its unit, and when it is null. Without it, the description of its name in the glossary applies. */
  readonly about?: string
  /** The descriptions of the fields inside it. */
  readonly inside?: Descriptions
  readonly example: NoInfer<Value>
  /** Its value. `given`: facts that the source does not have. */
  readonly of: (source: Source, given: Given) => NoInfer<Value>
}

type Fields<Source, Given, Values> = { readonly [Name in keyof Values]: Field<Source, Given, Values[Name]> }

/** Fields in the order of the record, and what is derived from them. */
export type FieldGroup<Source, Given, Values> = {
  readonly fields: Fields<Source, Given, Values>
  readonly type: () => Type<Values>
  readonly example: Values
  readonly inside: Descriptions
  readonly render: Render<Source, Given, Values>
}

/** Fields that need no other facts are rendered from the source alone. */
type Render<Source, Given, Values> = unknown extends Given
  ? (source: Source) => Values
  : (source: Source, given: Given) => Values

/** The fields of an object inside a record: `groupOf<Actor<Payment>>()({ … })`. */
export const groupOf =
  <Source, Given = unknown>() =>
  <Values extends object>(fields: Fields<Source, Given, Values>): FieldGroup<Source, Given, Values> => {
    const entries = Object.entries<Field<Source, Given, unknown>>(fields)
    const each = <Made>(make: (field: Field<Source, Given, unknown>) => Made) =>
      Object.fromEntries(entries.map(([name, field]) => [name, make(field)]))
    return {
      fields,
      type: lazy(() => type(each(field => field.type())) as unknown as Type<Values>),
      example: each(field => field.example) as Values,
      inside: Object.fromEntries(entries.flatMap(descriptionsOf)),
      // Assigned in a loop, which takes as long as an object literal. Object.fromEntries() takes three times as long.
      render: ((source: Source, given: Given) => {
        const record: Record<string, unknown> = {}
        for (const [name, { of }] of entries) record[name] = of(source, given)
        return record as Values
      }) as Render<Source, Given, Values>,
    }
  }

type Described = Pick<Field<never, never, unknown>, 'about' | 'inside'>

const descriptionsOf = ([name, { about, inside = {} }]: readonly [string, Described]) => [
  ...(about === undefined ? [] : [[name, about] as const]),
  ...Object.entries(inside).map(([path, text]) => [`${name}.${path}`, text] as const),
]

/** A record of the API, with its name in the API reference: `recordOf<Actor<Payment>>()('Payment', { … })`. */
export const recordOf =
  <Source, Given = unknown>() =>
  <Values extends object>(
    name: string,
    fields: Fields<Source, Given, Values>,
    parts: readonly Shape[] = [],
  ): Shape & FieldGroup<Source, Given, Values> => ({ name, ...groupOf<Source, Given>()(fields), parts })
