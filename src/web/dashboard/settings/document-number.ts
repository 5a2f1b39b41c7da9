/** What is wrong with a pattern of numbers; undefined if the server accepts it. */
export const patternFault = (
  pattern: string,
  restart: 'yearly' | 'never',
): 'characters' | 'number' | 'year' | undefined => {
  const rest = pattern.replaceAll(placeholder, '')
  if (pattern === '' || pattern.length > 60 || !/^[\w./#-]*$/.test(rest)) return 'characters'
  const names = [...pattern.matchAll(placeholder)].map(([, name = '']) => name)
  if (names.filter(name => name !== 'prefix' && name !== 'year').length !== 1) return 'number'
  return restart === 'yearly' && !names.includes('year') ? 'year' : undefined
}

const placeholder = /\{(prefix|year|number(?::([1-9]|1[0-2]))?)\}/g

type Numbered = {
  readonly prefix: string
  readonly year: string
  readonly number: number
  readonly livemode: boolean
}

/** The number that a document gets by a pattern. */
export const exampleNumber = (pattern: string, { prefix, year, number, livemode }: Numbered): string => {
  const text = pattern.replaceAll(placeholder, (_, name: string, digits = '1') => {
    if (name === 'prefix' || name === 'year') return { prefix, year }[name]
    return String(number).padStart(Number(digits), '0')
  })
  return livemode ? text : `TEST-${text}`
}
