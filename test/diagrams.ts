import { writeFile } from 'node:fs/promises'
import { drawMachines } from './docs/draw-machines.ts'

/** Writes docs/machines.md after a change in machines/; the diff shows the changes. */
await writeFile(new URL('../docs/machines.md', import.meta.url), drawMachines())
