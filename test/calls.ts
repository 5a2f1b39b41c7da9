import { writeFile } from 'node:fs/promises'
import { formatted } from './web/api/formatted.ts'
import { callFiles, type Surface, writeCalls } from './web/api/write-calls.ts'

/** Writes the calls of the browser after a change of the API; what has changed is then seen in the diff. */
for (const [surface, file] of Object.entries(callFiles))
  await writeFile(new URL(`../${file}`, import.meta.url), formatted(writeCalls(surface as Surface)))
