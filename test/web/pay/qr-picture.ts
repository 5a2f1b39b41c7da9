import type { Locator, Page } from 'playwright-core'
import { default as decodeQR } from 'qr/decode.js'

/** What a camera would read from this part of the page, as it is painted. */
export const readQr = async (page: Page, part: Locator): Promise<string> => {
  const png = (await part.screenshot()).toString('base64')
  // The page under test refuses scripts of others.
  const blank = await page.context().browser()?.newPage()
  if (!blank) throw new Error('The browser is closed')
  try {
    const { width, height, data } = (await blank.evaluate(`(async () => {
      const image = await createImageBitmap(await (await fetch('data:image/png;base64,${png}')).blob())
      const canvas = new OffscreenCanvas(image.width, image.height)
      const context = canvas.getContext('2d')
      context.drawImage(image, 0, 0)
      const { data } = context.getImageData(0, 0, image.width, image.height)
      return { width: image.width, height: image.height, data: [...data] }
    })()`)) as { width: number; height: number; data: number[] }
    return decodeQR({ width, height, data: Uint8Array.from(data) })
  } finally {
    await blank.close()
  }
}
