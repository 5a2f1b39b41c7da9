import { describe, expect, test } from 'bun:test'
import decodeQR from 'qr/decode.js'
import { qrCode } from '../../src/pages/qr.ts'

const address = '0x52908400098527886E0F7030069857D2E4169EE7'

/** The pixels of its path, with four pixels per module. */
const painted = (svg: string) => {
  const modules = Number(/viewBox="0 0 (\d+) /.exec(svg)?.[1])
  const size = modules * 4
  const data = new Uint8Array(size * size * 4).fill(255)
  const [, path = ''] = /fill="#000"[^>]* d="([^"]*)"/.exec(svg) ?? []
  for (const [, x, y, width] of path.matchAll(/M(\d+) (\d+)h(\d+)v1h-\d+z/g))
    for (let row = Number(y) * 4; row < Number(y) * 4 + 4; row++) {
      const from = (row * size + Number(x) * 4) * 4
      data.fill(0, from, from + Number(width) * 16)
      for (let at = from + 3; at < from + Number(width) * 16; at += 4) data[at] = 255
    }
  return { modules, image: { width: size, height: size, data } }
}

describe('a QR code', () => {
  test.each([
    ['a'],
    [`ethereum:${address}@1?value=1`],
    [`ethereum:${address}@11155111/transfer?address=${address}&uint256=${2n ** 256n - 1n}`],
  ])('decodes to its text: %s', text => {
    expect(decodeQR(painted(qrCode(text, 'A link')).image)).toBe(text)
  })

  test('has the margin of four white modules that readers need, on every side', () => {
    const { modules, image } = painted(qrCode('a', 'A link'))
    const isWhite = (x: number, y: number) => image.data[((y * 4 + 1) * image.width + x * 4 + 1) * 4] === 255
    for (let at = 0; at < modules; at++)
      for (const edge of [0, 1, 2, 3, modules - 4, modules - 1]) {
        expect(isWhite(at, edge)).toBe(true)
        expect(isWhite(edge, at)).toBe(true)
      }
  })

  test('has a label, escaped', () => {
    expect(qrCode('a', 'The "link" of <Lamps> & more')).toContain(
      'role="img" aria-label="The &#34;link&#34; of &#60;Lamps&#62; &#38; more"',
    )
  })
})
