import encodeQR from 'qr'

/** White modules around the code, which scanners need (ISO/IEC 18004). */
const QUIET = 4

/** The black modules as one path, in a square of `size` modules that includes the white ones around the code. */
export const qrCells = (text: string): { readonly size: number; readonly path: string } => {
  const rows = encodeQR(text, 'raw', { border: QUIET })
  return { size: rows.length, path: pathOf(rows) }
}

/** One rectangle for each run of black modules in a row. */
const pathOf = (rows: readonly (readonly boolean[])[]): string =>
  rows.flatMap((row, y) => runsOf(row).map(([x, width]) => `M${x} ${y}h${width}v1h-${width}z`)).join('')

const runsOf = (row: readonly boolean[]): readonly (readonly [x: number, width: number])[] => {
  const runs: [number, number][] = []
  row.forEach((isBlack, x) => {
    if (!isBlack) return
    const last = runs.at(-1)
    if (last && last[0] + last[1] === x) last[1]++
    else runs.push([x, 1])
  })
  return runs
}
