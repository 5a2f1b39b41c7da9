/** `0,5` and `0.5` percent are 50 basis points. Undefined: not a percentage, or more than `most` basis points. */
export const basisPointsOf = (text: string, most: number): number | undefined => {
  const [, whole, part = ''] = /^(\d{1,3})(?:[.,](\d{1,2}))?$/.exec(text.trim()) ?? []
  if (whole === undefined) return undefined
  const points = Number(whole) * 100 + Number(part.padEnd(2, '0'))
  return points <= most ? points : undefined
}
