import { writeFile } from 'node:fs/promises'
import { formatted } from './web/api/formatted.ts'
import { writeCalls } from './web/api/write-calls.ts'

/** Writes src/web/api/calls.ts after a change of the API; what has changed is then seen in the diff. */
await writeFile(new URL('../src/web/api/calls.ts', import.meta.url), formatted(writeCalls()))
