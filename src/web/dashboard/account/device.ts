/** The first that fits: browsers name those that they want to be taken for, too. */
const browsers = [
  ['Edge', /\bEdg(e|A|iOS)?\//],
  ['Opera', /\bOPR\//],
  ['Firefox', /\b(Firefox|FxiOS)\//],
  ['Chrome', /\b(Headless)?(Chrome|CriOS)\//],
  ['Safari', /\bSafari\//],
] as const

const systems = [
  ['Windows', /Windows/],
  ['iPhone', /iPhone/],
  ['iPad', /iPad/],
  ['Android', /Android/],
  ['macOS', /Mac OS X/],
  ['Linux', /Linux/],
] as const

/** The browser and the system that a user agent names; otherwise its first word, such as `curl/8.5`. */
export const deviceOf = (userAgent: string): { readonly browser: string; readonly system: string | undefined } => {
  const find = (all: readonly (readonly [string, RegExp])[]) => all.find(([, pattern]) => pattern.test(userAgent))?.[0]
  return { browser: find(browsers) ?? userAgent.split(' ')[0] ?? '', system: find(systems) }
}
