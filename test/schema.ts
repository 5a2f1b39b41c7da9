import { writeFile } from 'node:fs/promises'
import { database } from './harness/database.ts'
import { readSchema } from './harness/schema.ts'

/** Writes the golden schema anew; what has changed is then seen in the diff. */
await using db = await database()
await writeFile(new URL('schema.sql', import.meta.url), await readSchema(db.sql))
