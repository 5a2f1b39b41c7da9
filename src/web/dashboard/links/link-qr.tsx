import { Icon } from '../../parts/icon.tsx'
import { qrCells } from '../../parts/qr-cells.ts'
import { QrCode } from '../../parts/qr-code.tsx'
import { showToast } from '../../parts/toast.tsx'
import { saveFile } from '../shell/download.ts'
import { useLinksTexts } from './texts.ts'

/** Pixels of a module in the picture: a code of 33 modules prints sharply at 5 cm and 600 dpi. */
const PIXELS = 32

type LinkQrProps = {
  readonly link: { readonly id: string; readonly reference: string | null; readonly url: string }
}

/** The address of a public page as a QR code, for a counter or a bill, with files to print. */
export const LinkQr = ({ link: { id, reference, url } }: LinkQrProps) => {
  const texts = useLinksTexts()
  const savePng = () =>
    pngOf(url).then(
      png => saveFile(name('png'), 'image/png', png),
      () => showToast(texts.qrFailed),
    )
  const name = (extension: string) => `${fileName(reference ?? id)}.${extension}`
  return (
    <div class="share-qr">
      <QrCode text={url} label={texts.qr} />
      <p class="quiet">{texts.qrWhat}</p>
      <span class="buttons">
        <button type="button" class="button" onClick={() => saveFile(name('svg'), 'image/svg+xml', svgOf(url))}>
          <Icon name="download" small />
          SVG
        </button>
        <button type="button" class="button" onClick={() => void savePng()}>
          <Icon name="download" small />
          PNG
        </button>
      </span>
    </div>
  )
}

/** References may contain what file names may not. */
const fileName = (text: string): string => text.replaceAll(/[^\p{L}\p{N}_-]+/gu, '-')

const svgOf = (url: string): string => {
  const { size, path } = qrCells(url)
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" width="${size * PIXELS}" height="${size * PIXELS}"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path shape-rendering="crispEdges" d="${path}"/></svg>\n`
}

const pngOf = async (url: string): Promise<Blob> => {
  const { size, path } = qrCells(url)
  const canvas = document.createElement('canvas')
  canvas.width = canvas.height = size * PIXELS
  const context = canvas.getContext('2d')
  if (!context) throw new Error('This browser cannot draw')
  context.fillStyle = '#fff'
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.scale(PIXELS, PIXELS)
  context.fillStyle = '#000'
  context.fill(new Path2D(path))
  return new Promise((resolve, reject) => {
    canvas.toBlob(blob => (blob ? resolve(blob) : reject(new Error('This browser cannot make a PNG'))), 'image/png')
  })
}
