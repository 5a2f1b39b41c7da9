import { writeFile } from 'node:fs/promises'
import process from 'node:process'
import { database } from './harness/database.ts'
import { readSchema } from './harness/schema.ts'

/** Writes the golden schema; the diff shows the changes. */
const main = async () => {
  await using db = await database()
  await writeFile(new URL('schema.sql', import.meta.url), await readSchema(db.sql))
}

await main()
// The harness keeps its connection to the server open.
process.exit(0)
