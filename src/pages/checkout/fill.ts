import { type Html, html, textOf } from '../html.ts'

export type FillValue = Html | string | number | null | undefined

/**
 * A sentence with its values: `{name}` is replaced by the value of that name, escaped unless it is HTML. After a name that
 * ends with a period, such as `Lampe e.K.`, the sentence has no second one.
 */
export const fill = (sentence: string, values: Readonly<Record<string, FillValue>>): Html => {
  const parts = sentence.split(/\{(\w+)\}/)
  return html`${parts.map((part, at) => {
    if (at % 2 === 1) return values[part]
    const before = values[parts[at - 1] ?? '']
    const text = typeof before === 'object' && before !== null ? textOf(before) : String(before)
    return /\.(<[^>]*>)*$/.test(text) ? part.replace(/^\./, '') : part
  })}`
}

/** The same as plain text. */
export const fillText = (sentence: string, values: Readonly<Record<string, string | number>>): string =>
  sentence.replace(/\{(\w+)\}(\.?)/g, (_, name: string, period: string) => {
    const value = String(values[name] ?? '')
    return value.endsWith('.') ? value : value + period
  })
