import { createHash } from 'node:crypto'
import type { Value } from './literals.ts'

/** Writes JSON objects as history and events store them, and collects the layouts that they need. */
export const openObjectWriter = () => {
  const used = new Set<Layout>()
  /**
   * The text that json_of() in sql/001-actors.sql reads: the id of the object's layout, and its values as JSON.stringify
   * writes them. JSON has no tab and no line break in it.
   */
  const write = (object: object | null): string => {
    if (object === null) return ''
    const record = object as Readonly<Record<string, unknown>>
    let fields = noFields
    let values = ''
    for (const name of Object.keys(record)) {
      const json = jsonOf(record[name])
      if (json === undefined) continue
      fields = fields.followed.get(name) ?? follow(fields, name)
      values += `\t${json}`
    }
    fields.layout ??= layoutOf(fields.names)
    used.add(fields.layout)
    return fields.layout.id + values
  }
  return {
    /** A line for each object. The line of null is empty. */
    linesOf: (objects: readonly (object | null)[]): string => objects.map(write).join('\n'),
    /** Rows of `json_layouts`. */
    layouts: (): Value[][] => [...used].map(({ id, template }) => [id, template]),
  }
}

type Layout = { readonly id: number; readonly template: string }

/** The names of fields so far, and what may follow them: a text made of the names would take longer than the values. */
type Fields = { readonly names: readonly string[]; readonly followed: Map<string, Fields>; layout?: Layout }

const noFields: Fields = { names: [], followed: new Map() }

const follow = (fields: Fields, name: string): Fields => {
  const next: Fields = { names: [...fields.names, name], followed: new Map() }
  fields.followed.set(name, next)
  return next
}

const layoutOf = (names: readonly string[]): Layout => {
  const template = `{${names.map(name => `${JSON.stringify(name).replaceAll('%', '%%')}:%s`).join(',')}}`
  // By hash, so that a process knows the id in any database, also in one that was restored. A commit fails if two
  // templates have the same.
  const id = createHash('sha256').update(template).digest().readUInt32BE() >>> 1
  return { id, template }
}

const plain = /^[\w .:+@-]*$/

/** Nothing for null. JSON.stringify takes ten times as long over most values of a record, because it is called for each. */
const jsonOf = (value: unknown): string | undefined => {
  if (value === null) return ''
  if (typeof value === 'boolean' || Number.isInteger(value)) return String(value)
  if (typeof value === 'string' && plain.test(value)) return `"${value}"`
  const json = JSON.stringify(value)
  return json === 'null' ? '' : json
}
