/**
 * Minor units of an amount as people type it: `49`, `49.00`, `49,00`, `1.234,50`. Undefined if it is not clear what is
 * meant, if it has a fraction of a minor unit, or if it is not more than zero.
 */
export const parseAmount = (text: string, digits = 2): number | undefined => {
  const compact = text.replace(/[\s\u00a0'’]/g, '')
  const [, whole = '', fraction = ''] = /^(\d[\d.,]*?)(?:[.,](\d{1,2}))?$/.exec(compact) ?? []
  // Separators of thousands must separate thousands.
  if (!/^(\d+|[1-9]\d{0,2}(\.\d{3})+|[1-9]\d{0,2}(,\d{3})+)$/.test(whole)) return undefined
  const minor = Number(whole.replace(/[.,]/g, '') + fraction.padEnd(digits, '0'))
  return Number.isSafeInteger(minor) && minor > 0 ? minor : undefined
}

/** As people type it: `1234.50`. */
export const plainAmount = (minor: number): string =>
  `${Math.floor(minor / 100)}.${String(minor % 100).padStart(2, '0')}`
