import { qrCells } from './qr-cells.ts'

/** A text as a QR code. Black on white in dark mode too: not every scanner reads inverted codes. */
export const QrCode = ({ text, label }: { readonly text: string; readonly label: string }) => {
  const { size, path } = qrCells(text)
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} width="176" height="176" role="img" aria-label={label}>
      <path fill="#fff" d={`M0 0h${size}v${size}H0z`} />
      <path fill="#000" shape-rendering="crispEdges" d={path} />
    </svg>
  )
}
