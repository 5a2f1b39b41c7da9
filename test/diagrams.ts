import { writeFile } from 'node:fs/promises'
import { drawMachines } from './docs/draw-machines.ts'

/** Writes docs/machines.md after a change in machines/; what has changed is then seen in the diff. */
await writeFile(new URL('../docs/machines.md', import.meta.url), drawMachines())
