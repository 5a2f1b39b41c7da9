import { commonPasswords, commonWords } from './common-passwords.ts'

/** Whether a password is easy to guess: a common one, or one that is derived from the e-mail address. */
export const isGuessable = (password: string, email: string): boolean => {
  const text = plain(password)
  if (new Set(text).size <= 3) return true
  if (commonPasswords.has(text) || commonWords.has(core(text))) return true
  const [name = '', domain = ''] = plain(email).split('@')
  return [email, name, domain, domain.split('.')[0] ?? ''].map(plain).some(part => isMadeOf(text, part))
}

/** The same text, or the same letters with other symbols and digits: `anna-smith1` and `anna.smith`. */
const isMadeOf = (text: string, part: string): boolean =>
  part !== '' && (text === part || (letters(part).length > 2 && letters(text) === letters(part)))

const plain = (text: string): string => text.normalize('NFKC').toLowerCase().replace(/\s/g, '')
const core = (text: string): string => text.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '')
const letters = (text: string): string => text.replace(/[^\p{L}]/gu, '')
