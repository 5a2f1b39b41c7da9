import { isQuantity } from '../../../billing/quantity.ts'

/** `1,5` is `1.5`. `1,500` could be both, and is no quantity. Undefined if it is none. */
export const quantityIn = (text: string): string | undefined => {
  const trimmed = text.trim()
  if (/^\d+,\d{3}$/.test(trimmed)) return undefined
  const quantity = trimmed.replace(',', '.')
  return isQuantity(quantity) ? quantity : undefined
}
