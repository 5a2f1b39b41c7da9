import { type } from 'arktype'

/** An e-mail address in normalized form, by which accounts are found. */
export const email = () =>
  type('string')
    .pipe(text => text.trim().normalize('NFC').toLowerCase())
    .to('string <= 254')
    .narrow(isEmail)

/** Text, `@`, text, without spaces and control characters. */
export const isEmail = (text: string): boolean => /^[^\s@\p{C}]+@[^\s@\p{C}]+$/u.test(text)
