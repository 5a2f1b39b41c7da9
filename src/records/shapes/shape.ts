import { type Type, type } from 'arktype'
import { lazy } from '../../lazy.ts'

/** The type of an object in the API, with its name in the API reference. */
export type Shape = {
  readonly name: string
  readonly type: Type
  readonly example: unknown
  /** Named objects inside it. */
  readonly parts?: readonly Shape[]
}

/**
 * The type is built at its first use: building all of them took a fifth of the start, and few processes serve the API
 * reference.
 */
export const shape = ({ type, ...said }: Omit<Shape, 'type'> & { readonly type: () => Type }): Shape => {
  const made = lazy(type)
  return {
    ...said,
    get type() {
      return made()
    },
  }
}

/** The list of such objects. */
export const listShape = (item: Shape): Shape =>
  shape({
    name: `${item.name.replace(/With.*/, '')}List`,
    type: () => type({ object: "'list'", data: item.type.array(), has_more: 'boolean' }),
    example: { object: 'list', data: [item.example], has_more: false },
    parts: [item],
  })
