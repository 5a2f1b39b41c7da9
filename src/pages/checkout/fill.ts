import { type Html, html } from '../html.ts'

export type FillValue = Html | string | number | null | undefined

/** A sentence with its values: `{name}` is replaced by the value of that name, escaped unless it is HTML. */
export const fill = (sentence: string, values: Readonly<Record<string, FillValue>>): Html => {
  const parts = sentence.split(/\{(\w+)\}/)
  return html`${parts.map((part, at) => (at % 2 === 0 ? part : values[part]))}`
}

/** The same as plain text. */
export const fillText = (sentence: string, values: Readonly<Record<string, string | number>>): string =>
  sentence.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''))
