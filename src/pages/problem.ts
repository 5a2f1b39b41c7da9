import type { Code } from '../errors.ts'
import { errorSentence } from '../web/text/errors/texts.ts'
import type { Locale } from '../web/text/locale.ts'
import { problemTexts } from '../web/text/problems/texts.ts'
import type { WholeText } from './answer.ts'
import { html } from './html.ts'
import { definePage } from './layout.ts'
import type { Web } from './web.ts'

/** Some addresses that are answered with it contain a secret. */
const page = definePage({ style: 'pay/pay.css', inlined: true, secret: 'address' })

export type Problem = {
  readonly status: number
  readonly code: Code
  readonly requestId: string
  /** Seconds until the same request may succeed. */
  readonly retryAfter: number | undefined
}

/** An error response for a browser: a person sees it, so it says what to do. */
export const problemPage = (web: Web, { status, code, requestId, retryAfter }: Problem, locale: Locale): WholeText => {
  const texts = problemTexts(locale)
  const body = html`<div class="frame"><main class="step" id="main"><div class="body">
<div class="step__head"><h1>${status === 429 ? texts.tooMany : status >= 500 ? texts.fault : texts.refused}</h1>
<p class="lead">${errorSentence(code, locale)}</p></div>
<p class="small quiet">${texts.requestNumber} <code>${requestId}</code></p>
</div></main></div>`
  // Only what may succeed later is tried again, and only by browsers that run no script.
  const head =
    retryAfter === undefined
      ? undefined
      : html`<noscript><meta http-equiv="refresh" content="${Math.max(5, Math.ceil(retryAfter))}"></noscript>\n`
  return page(web, { status, title: texts.title, lang: locale, body, bodyClass: 'page', ...(head && { head }) })
}
