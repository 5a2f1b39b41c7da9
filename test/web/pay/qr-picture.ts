import type { Locator, Page } from 'playwright-core'
import { default as decodeQR } from 'qr/decode.js'

/** What a camera would read from this part of the page, as it is painted. */
export const readQr = async (page: Page, part: Locator): Promise<string> => readPicture(page, await part.screenshot())

/** What a camera would read from this picture. */
export const readPicture = async (page: Page, bytes: Buffer, type = 'image/png'): Promise<string> => {
  const source = `data:${type};base64,${bytes.toString('base64')}`
  // The page under test refuses scripts of others.
  const blank = await page.context().browser()?.newPage()
  if (!blank) throw new Error('The browser is closed')
  try {
    const { width, height, data } = (await blank.evaluate(`(async () => {
      const image = new Image()
      image.src = '${source}'
      await image.decode()
      // Of a picture to print, a smaller one is enough.
      const scale = Math.min(1, 300 / image.width)
      const [width, height] = [Math.round(image.width * scale), Math.round(image.height * scale)]
      const context = new OffscreenCanvas(width, height).getContext('2d')
      context.drawImage(image, 0, 0, width, height)
      const { data } = context.getImageData(0, 0, width, height)
      return { width, height, data: [...data] }
    })()`)) as { width: number; height: number; data: number[] }
    return decodeQR({ width, height, data: Uint8Array.from(data) })
  } finally {
    await blank.close()
  }
}
