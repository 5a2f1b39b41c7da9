/** A colour by lightness, chroma and hue, as people see it (OKLCH of CSS Color 4). Hues of equal lightness look equally light. */
export type Oklch = { readonly l: number; readonly c: number; readonly h: number }

type Triple = readonly [number, number, number]

/** From `#0b5a70`. */
export const oklchOf = (hex: string): Oklch => {
  const [r, g, b] = channelsOf(hex).map(toLinear) as unknown as Triple
  const long = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b)
  const medium = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b)
  const short = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b)
  const l = 0.2104542553 * long + 0.793617785 * medium - 0.0040720468 * short
  const a = 1.9779984951 * long - 2.428592205 * medium + 0.4505937099 * short
  const bb = 0.0259040371 * long + 0.7827717662 * medium - 0.808675766 * short
  return { l, c: Math.hypot(a, bb), h: Math.atan2(bb, a) }
}

/** A colour that no screen has loses chroma until one has it, and keeps its lightness and hue. */
export const hexOf = ({ l, c, h }: Oklch): string => {
  let [least, most] = [0, c]
  if (isOnScreen(linearOf({ l, c, h }))) least = c
  else
    for (let step = 0; step < 20; step++) {
      const middle = (least + most) / 2
      if (isOnScreen(linearOf({ l, c: middle, h }))) least = middle
      else most = middle
    }
  const channels = linearOf({ l, c: least, h }).map(value =>
    Math.round(fromLinear(Math.min(1, Math.max(0, value))) * 255),
  )
  return `#${channels.map(value => value.toString(16).padStart(2, '0')).join('')}`
}

/** Contrast ratio of two colours, 1 to 21 (WCAG 2). */
export const contrastOf = (one: string, other: string): number => {
  const [light = 0, dark = 0] = [one, other].map(luminanceOf).sort((a, b) => b - a)
  return (light + 0.05) / (dark + 0.05)
}

const linearOf = ({ l, c, h }: Oklch): Triple => {
  const [a, b] = [c * Math.cos(h), c * Math.sin(h)]
  const long = (l + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const medium = (l - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const short = (l - 0.0894841775 * a - 1.291485548 * b) ** 3
  return [
    4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
    -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
    -0.0041960863 * long - 0.7034186147 * medium + 1.707614701 * short,
  ]
}

/** A little outside of the range is rounding. */
const isOnScreen = (linear: Triple): boolean => linear.every(value => value > -0.0005 && value < 1.0005)

const luminanceOf = (hex: string): number => {
  const [r, g, b] = channelsOf(hex).map(toLinear) as unknown as Triple
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

const channelsOf = (hex: string): number[] => [1, 3, 5].map(at => Number.parseInt(hex.slice(at, at + 2), 16) / 255)

const toLinear = (value: number): number => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)

const fromLinear = (value: number): number => (value <= 0.0031308 ? 12.92 * value : 1.055 * value ** (1 / 2.4) - 0.055)
