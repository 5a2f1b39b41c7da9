/** A whole number as it is typed. Undefined without a text, NaN if it is none. */
export const wholeOf = (text: string): number | undefined => {
  const trimmed = text.trim()
  if (trimmed === '') return undefined
  return /^\d{1,9}$/.test(trimmed) ? Number(trimmed) : Number.NaN
}
