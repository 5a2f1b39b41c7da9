import { type } from 'arktype'

/** An e-mail address as accounts are found by: one spelling for all that mean the same mailbox. */
export const email = () =>
  type('string')
    .pipe(text => text.trim().normalize('NFC').toLowerCase())
    .to('string <= 254')
    .narrow(isEmail)

/** Something at something, with nothing in it that would break a line. */
export const isEmail = (text: string): boolean => /^[^\s@\p{C}]+@[^\s@\p{C}]+$/u.test(text)
