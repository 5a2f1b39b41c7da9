let known: readonly string[] | undefined

/** The names in the IANA database that the browser knows. `UTC` is not in its list. */
export const timeZones = (): readonly string[] => {
  known ??= [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])]
  return known
}

export const isKnownTimeZone = (name: string): boolean => timeZones().includes(name.trim())

/** The year that it is there now; undefined if there is no such zone. */
export const yearIn = (timeZone: string, now: Date): string | undefined => {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone, calendar: 'gregory', year: 'numeric' }).format(now)
  } catch {
    return undefined
  }
}
