import { type Type, type } from 'arktype'

/** What a record looks like on the wire, under the name that it has in the interface's document. */
export type Shape = { readonly name: string; readonly type: Type; readonly example: unknown }

/** What every list of such records looks like. */
export const listShape = ({ name, type: item, example }: Shape): Shape => ({
  name: `${name}List`,
  type: type({ object: "'list'", data: item.array(), has_more: 'boolean' }),
  example: { object: 'list', data: [example], has_more: false },
})
