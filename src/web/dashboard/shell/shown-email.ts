import { useTexts } from './texts.ts'

/** What the server writes instead of the e-mail address of an erased customer. */
export const isErasedAddress = (email: string): boolean => email.endsWith('@erased.invalid')

/** An e-mail address, or words for an erased customer. */
export const useShownEmail = () => {
  const { erasedCustomer } = useTexts().payments
  return (email: string): string => (isErasedAddress(email) ? erasedCustomer : email)
}
