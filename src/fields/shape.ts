import { type Type, type } from 'arktype'
import { lazy } from '../lazy.ts'

/** The type of an object in the API, with its name in the API reference. */
export type Shape = {
  readonly name: string
  /** Built at its first use: building all types took a fifth of the start, and few processes serve the API reference. */
  readonly type: () => Type
  readonly example: unknown
  /** Named objects inside it. */
  readonly parts?: readonly Shape[]
  /** Descriptions of its fields that differ from those in the glossary. */
  readonly inside?: Descriptions
}

/** By path: `crypto.quote.expiresAt`. */
export type Descriptions = Readonly<Record<string, string>>

export const shape = ({ type, ...rest }: Shape): Shape => ({ ...rest, type: lazy(type) })

/** The list of such objects. */
export const listShape = (item: Shape): Shape =>
  shape({
    name: `${item.name.replace(/With.*/, '')}List`,
    type: () => type({ object: "'list'", data: item.type().array(), has_more: 'boolean' }),
    example: { object: 'list', data: [item.example], has_more: false },
    parts: [item],
  })
