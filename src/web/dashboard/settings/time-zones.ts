let known: readonly string[] | undefined

/** The names in the IANA database that the browser knows. `UTC` is not in its list. */
export const timeZones = (): readonly string[] => {
  known ??= [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])]
  return known
}

export const isKnownTimeZone = (name: string): boolean => timeZones().includes(name.trim())
