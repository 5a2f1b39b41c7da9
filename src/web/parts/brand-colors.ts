import { contrastOf, hexOf, oklchOf } from './oklch.ts'

/** The grounds that text in the accent colour stands on: src/web/styles/tokens.css. */
const grounds = {
  light: ['#faf8f4', '#ffffff', '#f1eee7', '#e3f3e8', '#fbefd5', '#fbe6e3', '#e5edfa', '#ffe3c7'],
  dark: ['#121416', '#1a1d20', '#0d0f10', '#12301f', '#33260a', '#3a1613', '#14243d', '#3a2109'],
} as const

/** Text on the accent colour. It contrasts with the accent at least as much as the grounds do. */
export const onAccent = { light: '#ffffff', dark: '#0d0f10' } as const

/** For text of any size (WCAG 2 AA). */
const LEAST_CONTRAST = 4.5

export type BrandColors = { readonly light: string; readonly dark: string }

/** The colour of a merchant in both themes: its hue stays, its lightness moves until it can be read. */
export const brandColors = (color: string): BrandColors => ({
  light: readableOn(color, grounds.light, -1),
  dark: readableOn(color, grounds.dark, 1),
})

/** The contrast of a colour with the light ground on which it is seen worst. */
export const leastContrast = (color: string): number =>
  Math.min(...grounds.light.map(ground => contrastOf(color, ground)))

const readableOn = (color: string, all: readonly string[], direction: 1 | -1): string => {
  const isReadable = (hex: string) => all.every(ground => contrastOf(hex, ground) >= LEAST_CONTRAST)
  if (isReadable(color)) return color
  const wanted = oklchOf(color)
  for (let l = wanted.l; l >= 0 && l <= 1; l += direction * 0.005) {
    const hex = hexOf({ ...wanted, l })
    if (isReadable(hex)) return hex
  }
  return direction === 1 ? '#ffffff' : '#000000'
}
