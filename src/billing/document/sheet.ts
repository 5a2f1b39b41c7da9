import type PDFDocument from 'pdfkit'
import type { DocumentValues } from './values.ts'

/** The pages of a PDF that is being drawn, in points of 1/72 inch, from the top left corner. */
export type Sheet = {
  readonly pdf: PDFKit.PDFDocument
  readonly values: DocumentValues
  readonly left: number
  readonly right: number
  readonly width: number
  /** Where the text of a page ends, above the footer. */
  readonly bottom: number
  /** Where the next thing is drawn. */
  y: number
}

export type TextStyle = { readonly size: number; readonly bold?: true; readonly color?: string }

export const ink = '#16181d'
export const quiet = '#5c6370'
export const line = '#d5d8de'

export const styles = {
  title: { size: 20, bold: true },
  lead: { size: 11.5, bold: true },
  body: { size: 9.5 },
  strong: { size: 9.5, bold: true },
  small: { size: 8, color: quiet },
  head: { size: 8, bold: true, color: quiet },
  tiny: { size: 7, color: quiet },
} as const satisfies Record<string, TextStyle>

export type SheetFonts = { readonly regular: Uint8Array; readonly semibold: Uint8Array }

const SIDE = 56

export const openSheet = (pdf: InstanceType<typeof PDFDocument>, fonts: SheetFonts, values: DocumentValues): Sheet => {
  pdf.registerFont('regular', fonts.regular as Buffer)
  pdf.registerFont('semibold', fonts.semibold as Buffer)
  const { width, height } = pdf.page
  return {
    ...{ pdf, values, y: SIDE },
    ...{ left: SIDE, right: width - SIDE, width: width - 2 * SIDE, bottom: height - 66 },
  }
}

type Box = { readonly x: number; readonly y: number; readonly width: number }

/** Draws a text in a box, in as many lines as it needs, and returns their height. */
export const drawText = ({ pdf }: Sheet, text: string, style: TextStyle, box: Box): number => {
  const height = heightOf(pdf, text, style, box.width)
  pdf.fillColor(style.color ?? ink).text(text, box.x, box.y, { width: box.width, lineGap: gapOf(style) })
  return height
}

export const measureText = ({ pdf }: Sheet, text: string, style: TextStyle, width: number): number =>
  heightOf(pdf, text, style, width)

const heightOf = (pdf: PDFKit.PDFDocument, text: string, style: TextStyle, width: number): number =>
  setFont(pdf, style).heightOfString(text, { width, lineGap: gapOf(style) })

const gapOf = ({ size }: TextStyle): number => size * 0.18

const setFont = (pdf: PDFKit.PDFDocument, { size, bold }: TextStyle): PDFKit.PDFDocument =>
  pdf.font(bold ? 'semibold' : 'regular').fontSize(size)

/** Draws a text of one line that ends at `x`, smaller if it is wider than `width`. */
export const drawRight = (sheet: Sheet, text: string, style: TextStyle, { x, y, width }: Box): void => {
  const { pdf } = sheet
  const natural = setFont(pdf, style).widthOfString(text)
  const scale = Math.min(1, width / natural)
  pdf.fontSize(style.size * scale)
  pdf.fillColor(style.color ?? ink).text(text, x - natural * scale, y, { lineBreak: false })
}

export const drawRule = ({ pdf, left, right }: Sheet, y: number, color = line, from = left): void => {
  pdf.moveTo(from, y).lineTo(right, y).lineWidth(0.6).strokeColor(color).stroke()
}

/** The height that is left on this page. */
export const heightLeft = ({ bottom, y }: Sheet): number => bottom - y
