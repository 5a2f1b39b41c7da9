import { boundedText } from './text.ts'

/** An http or https URL that a page links to. Characters that the URL parser would remove are refused. */
export const webUrl = () =>
  boundedText(0, 2048).narrow(
    text => /^https?:\/\/[^\s\p{C}]+$/iu.test(text) && URL.canParse(text) && !CREDENTIALS.test(text),
  )

/** Credentials, even empty ones. The parser skips additional slashes, and reads backslashes as slashes. */
const CREDENTIALS = /^https?:[/\\]*[^/?#\\]*@/i
