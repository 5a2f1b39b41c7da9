import type { Locale } from '../web/text/locale.ts'

const locales: readonly Locale[] = ['en', 'de']

/** The language of `?lang=`, else the one that the browser prefers; English if it prefers none of ours. */
export const localeOf = (lang: string | undefined, headers: Headers): Locale =>
  locales.find(each => each === lang) ?? preferredLocale(headers.get('accept-language'))

const preferredLocale = (acceptLanguage: string | null): Locale => {
  const wanted = (acceptLanguage ?? '').split(',').map(part => {
    const [range = '', ...parameters] = part.split(';').map(text => text.trim().toLowerCase())
    const quality = parameters.find(each => each.startsWith('q='))?.slice(2)
    return { language: range.split('-')[0], quality: quality === undefined ? 1 : Number(quality) || 0 }
  })
  const [best] = wanted
    .flatMap(({ language, quality }) => {
      const locale = locales.find(each => each === language)
      return locale && quality > 0 ? [{ locale, quality }] : []
    })
    .toSorted((a, b) => b.quality - a.quality)
  return best?.locale ?? 'en'
}
