export type PdfText = { readonly text: string; readonly x: number; readonly y: number; readonly size: number }

/** The texts on each page of an uncompressed PDF, in the order in which they were drawn, from the bottom left corner. */
export const readPdf = (bytes: Uint8Array): readonly (readonly PdfText[])[] => {
  const objects = objectsIn(Buffer.from(bytes).toString('latin1'))
  const object = (id: string | undefined): string => objects.get(id ?? '') ?? ''
  const pages = [...object(idAfter('Pages', rootOf(objects))).matchAll(/(\d+) 0 R/g)].map(([, id]) => object(id))
  const fonts = new Map<string, ReadonlyMap<number, string>>()
  const glyphs = (name: string, page: string) => {
    const id = new RegExp(`/${name} (\\d+) 0 R`).exec(object(idAfter('Resources', page)) || page)?.[1] ?? ''
    const known = fonts.get(id) ?? glyphsOf(object(idAfter('ToUnicode', object(id))))
    fonts.set(id, known)
    return known
  }
  return pages
    .filter(page => page.includes('/Contents'))
    .map(page => textsIn(object(idAfter('Contents', page)), name => glyphs(name, page)))
}

const objectsIn = (file: string): ReadonlyMap<string, string> =>
  new Map([...file.matchAll(/(?:^|\n)(\d+) 0 obj\n([\s\S]*?)\nendobj/g)].map(([, id = '', body = '']) => [id, body]))

const rootOf = (objects: ReadonlyMap<string, string>): string =>
  [...objects.values()].find(body => body.includes('/Type /Catalog')) ?? ''

const idAfter = (name: string, body: string): string | undefined => new RegExp(`/${name} (\\d+) 0 R`).exec(body)?.[1]

/** `[<0041> <00660069>]`: the texts of the glyphs from 0 on. */
const glyphsOf = (map: string): ReadonlyMap<number, string> => {
  const glyphs = new Map<number, string>()
  for (const [, first = '', list = ''] of map.matchAll(/<([0-9a-f]+)> <[0-9a-f]+> \[([^\]]*)\]/gi))
    for (const [at, [, text = '']] of [...list.matchAll(/<([0-9a-f]*)>/gi)].entries())
      glyphs.set(Number.parseInt(first, 16) + at, Buffer.from(text, 'hex').swap16().toString('utf16le'))
  return glyphs
}

const textsIn = (content: string, glyphs: (font: string) => ReadonlyMap<number, string>): readonly PdfText[] => {
  const texts: PdfText[] = []
  let [x, y, size, font] = [0, 0, 0, '']
  for (const line of content.split('\n')) {
    const place = /^1 0 0 1 ([\d.-]+) ([\d.-]+) Tm$/.exec(line)
    if (place) [x, y] = [Number(place[1]), Number(place[2])]
    const chosen = /^\/(\S+) ([\d.]+) Tf$/.exec(line)
    if (chosen) [font, size] = [chosen[1] ?? '', Number(chosen[2])]
    if (!line.endsWith('TJ')) continue
    const hex = [...line.matchAll(/<([0-9a-f]*)>/gi)].map(([, digits = '']) => digits).join('')
    const text = [...hex.matchAll(/.{4}/g)].map(([digits]) => glyphs(font).get(Number.parseInt(digits, 16)) ?? '�')
    texts.push({ text: text.join(''), x, y, size })
  }
  return texts
}
