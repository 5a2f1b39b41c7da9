import { brandColors, onAccent } from '../../web/parts/brand-colors.ts'

/** A style sheet of checked colours only. */
export const brandStyle = (color: string): string => {
  if (!/^#[0-9a-f]{6}$/.test(color)) throw new RangeError('A colour must be six hexadecimal digits')
  const { light, dark } = brandColors(color)
  return `:root{--accent:light-dark(${light},${dark});--on-accent:light-dark(${onAccent.light},${onAccent.dark})}`
}
