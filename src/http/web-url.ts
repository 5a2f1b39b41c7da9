import { textOf } from './text.ts'

/** An http or https address that a page links to. What the URL parser would strip from it is refused. */
export const webUrl = () =>
  textOf(0, 2048).narrow(
    text => /^https?:\/\/[^\s\p{C}]+$/iu.test(text) && URL.canParse(text) && !CREDENTIALS.test(text),
  )

/** Also empty ones. The parser skips further slashes, and takes backslashes for slashes. */
const CREDENTIALS = /^https?:[/\\]*[^/?#\\]*@/i
