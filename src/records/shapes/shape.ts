import { type Type, type } from 'arktype'

/** What a record looks like on the wire, under the name that it has in the interface's document. */
export type Shape = {
  readonly name: string
  readonly type: Type
  readonly example: unknown
  /** Records that it holds. */
  readonly parts?: readonly Shape[]
}

/** What every list of such records looks like. */
export const listShape = (item: Shape): Shape => ({
  name: `${item.name.replace(/With.*/, '')}List`,
  type: type({ object: "'list'", data: item.type.array(), has_more: 'boolean' }),
  example: { object: 'list', data: [item.example], has_more: false },
  parts: [item],
})
