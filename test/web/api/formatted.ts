import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** As the formatter of the project writes it. */
export const formatted = (text: string): string =>
  execFileSync(process.execPath, ['x', 'biome', 'format', '--stdin-file-path', 'src/web/api/calls.ts'], {
    cwd: fileURLToPath(new URL('../../../', import.meta.url)),
    input: text,
    encoding: 'utf8',
  })
