import { type Type, type } from 'arktype'
import { once } from '../../once.ts'

/** What a record looks like on the wire, under the name that it has in the interface's document. */
export type Shape = {
  readonly name: string
  readonly type: Type
  readonly example: unknown
  /** Records that it holds. */
  readonly parts?: readonly Shape[]
}

/** Its type is made when it is first asked for: together they took a fifth of a start, and few processes show the document. */
export const shape = ({ type, ...said }: Omit<Shape, 'type'> & { readonly type: () => Type }): Shape => {
  const made = once(type)
  return {
    ...said,
    get type() {
      return made()
    },
  }
}

/** What every list of such records looks like. */
export const listShape = (item: Shape): Shape =>
  shape({
    name: `${item.name.replace(/With.*/, '')}List`,
    type: () => type({ object: "'list'", data: item.type.array(), has_more: 'boolean' }),
    example: { object: 'list', data: [item.example], has_more: false },
    parts: [item],
  })
