import { writeFile } from 'node:fs/promises'
import process from 'node:process'
import { database } from './harness/database.ts'
import { readSchema } from './harness/schema.ts'

/** Writes the golden schema anew; what has changed is then seen in the diff. */
const main = async () => {
  await using db = await database()
  await writeFile(new URL('schema.sql', import.meta.url), await readSchema(db.sql))
}

await main()
// The harness keeps its connection to the server.
process.exit(0)
