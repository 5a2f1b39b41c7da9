const markup = Symbol('markup')

/** A piece of HTML. All other values in a page are escaped. */
export type Html = { readonly [markup]: string }

export const trusted = (text: string): Html => ({ [markup]: text })

export const textOf = (part: Html): string => part[markup]

type Part = Html | string | number | false | null | undefined | readonly Part[]

/** html`<p>${value}</p>`: values are escaped. Attribute values must be in quotes. */
export const html = (texts: TemplateStringsArray, ...parts: readonly Part[]): Html =>
  trusted(texts.map((text, at) => text + (at < parts.length ? render(parts[at]) : '')).join(''))

const render = (part: Part): string => {
  if (part === false || part === null || part === undefined) return ''
  if (typeof part !== 'object') return escaped(String(part))
  return markup in part ? part[markup] : part.map(render).join('')
}

const escaped = (text: string): string => text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`)
