import { qrCells } from '../web/parts/qr-cells.ts'

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

const escaped = (text: string): string => text.replace(/[&<>"]/g, character => `&#${character.charCodeAt(0)};`)
