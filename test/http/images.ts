import { crc32, deflateSync } from 'node:zlib'

/** A PNG of one colour, as an encoder writes it. */
export const png = (width: number, height: number): Uint8Array<ArrayBuffer> => {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  // One bit a pixel, grey.
  header.set([1, 0, 0, 0, 0], 8)
  const lines = Buffer.alloc(height * (1 + Math.ceil(width / 8)))
  return new Uint8Array(
    Buffer.concat([
      Buffer.from('89504e470d0a1a0a', 'hex'),
      ...[chunk('IHDR', header), chunk('IDAT', deflateSync(lines)), chunk('IEND', Buffer.alloc(0))],
    ]),
  )
}

const chunk = (name: string, data: Buffer): Buffer => {
  const [length, named, sum] = [Buffer.alloc(4), Buffer.concat([Buffer.from(name), data]), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, sum])
}

const decoded = (base64: string) => new Uint8Array(Buffer.from(base64, 'base64'))

/** Of one pixel, by common encoders. */
export const smallest = {
  'image/png': png(1, 1),
  'image/jpeg': decoded(
    '/9j/4AAQSkZJRgABAQEAYABgAAD/2wBDAAMCAgICAgMCAgIDAwMDBAYEBAQEBAgGBgUGCQgKCgkICQkKDA8MCgsOCwkJDRENDg8QEBEQCgwSExIQEw8QEBD/yQALCAABAAEBAREA/8wABgAQEAX/2gAIAQEAAD8A0s8g/9k=',
  ),
  'image/webp': decoded('UklGRiQAAABXRUJQVlA4IBgAAAAwAQCdASoBAAEAAwA0JaQAA3AA/vuUAAA='),
} as const

/** Lossless. */
export const losslessWebp = decoded('UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==')

/** The same image with other numbers at a place. */
export const patched = (image: Uint8Array, at: number, ...numbers: readonly number[]): Uint8Array<ArrayBuffer> => {
  const changed = new Uint8Array(image)
  changed.set(numbers, at)
  return changed
}

/** Of one pixel, with as many bytes; what follows the end of a PNG is ignored. */
export const padded = (bytes: number): Uint8Array<ArrayBuffer> => {
  const image = new Uint8Array(bytes)
  image.set(png(1, 1))
  return image
}
