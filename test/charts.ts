import { writeFile } from 'node:fs/promises'
import { formatted } from './web/api/formatted.ts'
import { layOutCharts } from './web/ops/lay-out-charts.ts'

/** Writes src/web/ops/machines/charts.ts after a change in machines/. */
await writeFile(new URL('../src/web/ops/machines/charts.ts', import.meta.url), formatted(await layOutCharts()))
// elkjs leaves a worker that keeps Bun alive.
process.exit(0)
