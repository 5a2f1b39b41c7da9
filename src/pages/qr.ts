import encodeQR from 'qr'

/** White modules around the code, which scanners need (ISO/IEC 18004). */
const QUIET = 4

/**
 * A text as a QR code, as SVG markup for a page or for an `img`. `label` is the text for screen readers. Black on white in
 * dark mode too: not every scanner reads inverted codes.
 */
export const qrCode = (text: string, label: string): string => {
  const { size, path } = qrCells(text)
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" role="img" aria-label="${escaped(label)}">`,
    `<path fill="#fff" d="M0 0h${size}v${size}H0z"/><path fill="#000" shape-rendering="crispEdges" d="${path}"/>`,
    '</svg>',
  ].join('')
}

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

const escaped = (text: string): string => text.replace(/[&<>"]/g, character => `&#${character.charCodeAt(0)};`)
