import { domainToASCII } from 'node:url'

/**
 * The form in which the e-mail addresses of customers are compared: without surrounding spaces, in lower case, with the
 * domain in ASCII. A domain that has no ASCII form stays as it is.
 */
export const emailKey = (email: string): string => {
  const text = email.trim().normalize('NFC').toLowerCase().normalize('NFC')
  const at = text.lastIndexOf('@') + 1
  return text.slice(0, at) + (domainToASCII(text.slice(at)) || text.slice(at))
}

/** Takes the place of the e-mail address of an erased customer. The domain is reserved, so mail to it is never delivered. */
export const erasedEmail = (customerId: string): string => `${customerId}@erased.invalid`

export const isErasedEmail = (email: string): boolean => emailKey(email).endsWith('@erased.invalid')
