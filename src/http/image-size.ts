/** Media types of images, with the extension of their files. */
export const imageExtensions = { 'image/png': 'png', 'image/jpeg': 'jpg', 'image/webp': 'webp' } as const

export type ImageType = keyof typeof imageExtensions

export type ImageSize = { readonly width: number; readonly height: number }

/**
 * The size in the header of an image. Undefined if the bytes are not an image of this type. The image is not decoded:
 * decoders of images are large, and have had many security bugs.
 */
export const imageSizeOf = (bytes: Uint8Array, type: ImageType): ImageSize | undefined => {
  const size = readers[type](new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  return size && size.width > 0 && size.height > 0 ? size : undefined
}

/** https://www.w3.org/TR/png-3/#11IHDR */
const pngSize = (view: DataView): ImageSize | undefined => {
  const isPng = view.byteLength >= 33 && view.getBigUint64(0) === 0x89504e470d0a1a0an
  // The header is the first chunk, and has 13 bytes.
  if (!isPng || view.getUint32(8) !== 13 || textAt(view, 12, 4) !== 'IHDR') return undefined
  return { width: view.getUint32(16), height: view.getUint32(20) }
}

/** ITU-T T.81, annex B. The size is in the frame header, after segments of any number and length. */
const jpegSize = (view: DataView): ImageSize | undefined => {
  if (view.byteLength < 4 || view.getUint16(0) !== 0xffd8) return undefined
  for (let at = 2; at + 9 <= view.byteLength; ) {
    if (view.getUint8(at) !== 0xff) return undefined
    const marker = view.getUint8(at + 1)
    // A marker may be preceded by fill bytes.
    if (marker === 0xff) {
      at++
      continue
    }
    if (isFrame(marker)) return { height: view.getUint16(at + 5), width: view.getUint16(at + 7) }
    const length = view.getUint16(at + 2)
    // Start of the scan, or the end: there was no frame header. Other markers without a length do not occur before it.
    if (marker < 0xc0 || (marker >= 0xd0 && marker <= 0xda) || length < 2) return undefined
    at += 2 + length
  }
  return undefined
}

/** SOF0 to SOF15, without the three markers in between that are no frames. */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc

/** https://developers.google.com/speed/webp/docs/riff_container */
const webpSize = (view: DataView): ImageSize | undefined => {
  if (view.byteLength < 30 || textAt(view, 0, 4) !== 'RIFF' || textAt(view, 8, 4) !== 'WEBP') return undefined
  if (view.getUint32(4, true) + 8 > view.byteLength) return undefined
  return webpReaders[textAt(view, 12, 4)]?.(view)
}

/** By the name of the first chunk, whose data begins at byte 20. */
const webpReaders: Readonly<Record<string, (view: DataView) => ImageSize | undefined>> = {
  // Lossy, RFC 6386: 14 bits each, after the start code.
  'VP8 ': view =>
    view.getUint16(23) === 0x9d01 && view.getUint8(25) === 0x2a
      ? { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff }
      : undefined,
  // Lossless: 14 bits each, less one, after the signature.
  VP8L: view => {
    if (view.getUint8(20) !== 0x2f) return undefined
    const bits = view.getUint32(21, true)
    return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 }
  },
  // Extended: the canvas, 24 bits each, less one.
  VP8X: view => ({ width: 1 + uint24(view, 24), height: 1 + uint24(view, 27) }),
}

const readers: Readonly<Record<ImageType, (view: DataView) => ImageSize | undefined>> = {
  'image/png': pngSize,
  'image/jpeg': jpegSize,
  'image/webp': webpSize,
}

const uint24 = (view: DataView, at: number): number => view.getUint16(at, true) | (view.getUint8(at + 2) << 16)

const textAt = (view: DataView, at: number, length: number): string =>
  String.fromCharCode(...new Uint8Array(view.buffer, view.byteOffset + at, length))
