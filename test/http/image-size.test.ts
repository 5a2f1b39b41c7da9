import { describe, expect, test } from 'bun:test'
import { type ImageType, imageSizeOf } from '../../src/http/image-size.ts'
import { losslessWebp, patched, png, smallest } from './images.ts'

const types = Object.keys(smallest) as ImageType[]
const jpeg = smallest['image/jpeg']
const lossy = smallest['image/webp']
const bytes = (hex: string) => new Uint8Array(Buffer.from(hex.replaceAll(' ', ''), 'hex'))
/** The place of the frame header. */
const frame = Buffer.from(jpeg).indexOf(Buffer.from('ffc9', 'hex'))
const jpegWith = (segments: string) => bytes(`ffd8 ${segments} ffc0 000b 08 0102 0304 01 01 11 00 ffd9`)
const extended = (width: number, height: number) => {
  const image = Buffer.alloc(40)
  image.write('RIFF', 0)
  image.writeUInt32LE(32, 4)
  image.write('WEBPVP8X', 8)
  image.writeUInt32LE(10, 16)
  image.writeUIntLE(width - 1, 24, 3)
  image.writeUIntLE(height - 1, 27, 3)
  return new Uint8Array(image)
}

describe('the size of', () => {
  test.each(types)('one pixel, %s', type => {
    expect(imageSizeOf(smallest[type], type)).toEqual({ width: 1, height: 1 })
  })

  test('a PNG, up to 2^31 - 1', () => {
    expect(imageSizeOf(png(300, 7), 'image/png')).toEqual({ width: 300, height: 7 })
    const huge = patched(png(1, 1), 16, 0x7f, 0xff, 0xff, 0xff)
    expect(imageSizeOf(huge, 'image/png')).toEqual({ width: 2_147_483_647, height: 1 })
  })

  test('a JPEG, whatever comes before its frame', () => {
    const size = { width: 0x0304, height: 0x0102 }
    for (const segments of [
      '',
      'ffe0 0004 0000',
      'ffe1 0004 ffc0 ffdb 0002',
      'ffff ffff fffe 0003 00',
      'ffc4 0002 ffc8 0002',
    ])
      expect(imageSizeOf(jpegWith(segments), 'image/jpeg')).toEqual(size)
    expect(imageSizeOf(patched(jpeg, frame + 5, 0x12, 0x34, 0x56, 0x78), 'image/jpeg')).toEqual({
      height: 0x1234,
      width: 0x5678,
    })
  })

  test('a WebP: lossy, lossless and extended', () => {
    // The two upper bits are a scale for display.
    expect(imageSizeOf(patched(lossy, 26, 0x2c, 0xc1, 0x07, 0x40), 'image/webp')).toEqual({ width: 300, height: 7 })
    expect(imageSizeOf(losslessWebp, 'image/webp')).toEqual({ width: 1, height: 1 })
    const bits = 299 | (6 << 14)
    const other = patched(losslessWebp, 21, bits & 255, (bits >> 8) & 255, (bits >> 16) & 255, bits >>> 24)
    expect(imageSizeOf(other, 'image/webp')).toEqual({ width: 300, height: 7 })
    expect(imageSizeOf(extended(16_777_216, 2_001), 'image/webp')).toEqual({ width: 16_777_216, height: 2_001 })
  })
})

describe('no image is', () => {
  test.each(types)('one of another type than %s', type => {
    for (const other of types) if (other !== type) expect(imageSizeOf(smallest[other], type)).toBeUndefined()
  })

  test.each(types)('the beginning of one, however long: %s', type => {
    const whole = smallest[type]
    // The header is complete before the image is.
    for (let length = 0; length < (type === 'image/jpeg' ? frame + 9 : 30); length++)
      expect(imageSizeOf(whole.subarray(0, length), type)).toBeUndefined()
  })

  test.each<[string, Uint8Array, ImageType]>([
    ['of no width', patched(png(1, 1), 16, 0, 0, 0, 0), 'image/png'],
    ['of no height', patched(png(1, 1), 20, 0, 0, 0, 0), 'image/png'],
    ['without a header in front', patched(png(1, 1), 12, 0x49, 0x44, 0x41, 0x54), 'image/png'],
    ['with a longer header', patched(png(1, 1), 11, 14), 'image/png'],
    ['whose height comes later', patched(jpeg, frame + 5, 0, 0), 'image/jpeg'],
    [
      'whose scan comes first',
      bytes('ffd8 ffda 0008 01 01 00 00 3f 00 ffc0 000b 08 0102 0304 01 01 11 00'),
      'image/jpeg',
    ],
    ['that ends before a frame', bytes('ffd8 ffd9 0000 0000 0000 0000 0000'), 'image/jpeg'],
    ['with a segment of no length', jpegWith('ffe0 0000'), 'image/jpeg'],
    ['with something between segments', jpegWith('00'), 'image/jpeg'],
    ['with a segment beyond its end', jpegWith('ffe0 ffff'), 'image/jpeg'],
    ['of no width either', patched(lossy, 26, 0, 0xc0), 'image/webp'],
    ['without the start code', patched(lossy, 23, 0), 'image/webp'],
    ['without the signature', patched(losslessWebp, 20, 0), 'image/webp'],
    ['with an unknown chunk', patched(lossy, 12, 0x58), 'image/webp'],
    ['that is cut off', lossy.subarray(0, -1), 'image/webp'],
    ['of RIFF, but sound', patched(lossy, 8, 0x57, 0x41, 0x56, 0x45), 'image/webp'],
  ])('one %s', (_, image, type) => {
    expect(imageSizeOf(image, type)).toBeUndefined()
  })

  test('random bytes, and no image with one changed byte makes it fail', () => {
    for (const type of types) {
      for (let at = 0; at < smallest[type].length; at++)
        for (const value of [0, 1, 0x7f, 0xc0, 0xff]) imageSizeOf(patched(smallest[type], at, value), type)
      for (let length = 0; length < 200; length++) {
        const noise = crypto.getRandomValues(new Uint8Array(length))
        noise.set(smallest[type].subarray(0, Math.min(4, length)))
        imageSizeOf(noise, type)
      }
    }
  })
})
