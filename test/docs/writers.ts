import { Glob } from 'bun'
import { kinds } from '../../src/kinds/all.ts'
import { readText, root } from './tables.ts'

/** The tables whose rows are actors. */
export const actorTables: readonly string[] = kinds.map(({ table }) => table).sort()

const named = actorTables.join('|')

/** A statement that writes to a table named in it, with any spaces and comments before the name. */
const writing = new RegExp(
  `\\b(?:insert\\s+into|update|delete\\s+from|merge\\s+into|truncate)\\s+(?:only\\s+)?(?:public\\.)?"?(?:${named})\\b`,
  'i',
)

/** In a function that define_commit_rows() or define_actor_table() generates for each table. */
const generated = new RegExp(`^(insert|update|lease)_(?:${named})(?=_v\\d+$|$)`)

/** A statement whose table is a fragment of the program. */
const writingAny = /\b(?:insert\s+into|update|delete\s+from|merge\s+into|truncate)\s+(?:only\s+)?\$\{/i

/** Database functions that write actors, from the schema that the migrations make. `*` is the table of a generated function. */
export const writersInDatabase = (schema: string): readonly string[] => {
  const functions = schema.split(/^CREATE OR REPLACE (?=FUNCTION|PROCEDURE)/m).slice(1)
  const names = functions.flatMap(text => {
    const [, name = ''] = /^(?:FUNCTION|PROCEDURE) public\.(\w+)\(/.exec(text) ?? []
    const [body = ''] = text.split(/^create trigger /im)
    return writing.test(withoutComments(body)) ? [name] : []
  })
  return [...new Set(names.map(name => name.replace(generated, '$1_*')))].sort()
}

/** Triggers on the tables of actors. */
export const triggersOnActors = (schema: string): readonly string[] =>
  [...schema.matchAll(new RegExp(`^CREATE TRIGGER (\\w+) .* ON (?:public\\.)?(?:${named}) `, 'gim'))]
    .map(([, name = '']) => name)
    .sort()

/** Source files with a statement that writes actors, and files with a statement whose table is a variable. */
export const writersInSource = async (): Promise<{
  readonly known: readonly string[]
  readonly any: readonly string[]
}> => {
  const paths = (await Array.fromAsync(new Glob('{src,tasks,machines}/**/*.ts').scan(root))).sort()
  const having = (form: RegExp) => paths.filter(path => form.test(withoutComments(readText(path))))
  return { known: having(writing), any: having(writingAny) }
}

const withoutComments = (text: string): string => text.replace(/--.*$|\/\/.*$|\/\*[\s\S]*?\*\//gm, '')
