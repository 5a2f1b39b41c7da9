import type { Locale } from '../web/text/locale.ts'
import { welcomeTexts } from '../web/text/welcome/texts.ts'
import type { WholeText } from './answer.ts'
import { type Html, html } from './html.ts'
import { brandMark, icons } from './icons.ts'
import { definePage } from './layout.ts'
import type { SignUpState } from './sign-up-state.ts'
import type { Web } from './web.ts'

const page = definePage({ style: 'welcome/welcome.css', inlined: true, script: 'welcome/main.ts' })

export type WelcomeFacts = {
  readonly locale: Locale
  readonly publicUrl: string
  readonly signUp: SignUpState
}

/** Says what runs here, and where to go next. */
export const welcomePage = (web: Web, { locale, publicUrl, signUp }: WelcomeFacts): WholeText => {
  const texts = welcomeTexts(locale)
  const isEmpty = signUp !== 'done'
  const other = locale === 'en' ? { code: 'de', name: 'Deutsch' } : { code: 'en', name: 'English' }
  const command = (text: string): Html => html`<div class="command">
<pre class="code" tabindex="0" role="group" aria-label="${texts.command}"><code>${text}</code></pre>
<button class="button needs-script" type="button" data-copy="${text}">${icons.copy}<span>${texts.copy}<span class="sr"> ${texts.copyCommand}</span></span></button>
</div>`
  const demo = html`<li><h2>${texts.demoHeading}</h2><p>${texts.demo}</p>${command('bun run demo')}</li>`
  const account = html`<li><h2>${texts.accountHeading}</h2><p>${signUp === 'with_code' ? texts.accountCode : texts.account}</p><a class="button button--primary" href="/dashboard/sign-up">${texts.signUp}</a></li>`
  const byApi = html`<li><h2>${texts.commandHeading}</h2><p>${texts.accountCommand}</p>${command(signUpCommand(publicUrl, signUp === 'with_code'))}</li>`
  const docs = html`<li><h2>${isEmpty ? texts.payHeading : texts.newHeading}</h2><p>${texts.pay}</p><a class="button" href="/docs">${texts.docs}</a></li>`
  const dashboard = html`<li><h2>${texts.dashboardHeading}</h2><p>${texts.dashboard}</p><a class="button button--primary" href="/dashboard">${texts.signIn}</a></li>`
  const refunds = html`<li><h2>${texts.refundsHeading}</h2><p>${texts.refunds}</p><a class="button" href="/refunds">${texts.openRefunds}</a></li>`
  const body = html`<a class="skip" href="#main">${texts.skip}</a>
<div class="welcome">
<header><span class="brand">${brandMark}paymachine</span></header>
<main class="welcome__main" id="main">
<div class="welcome__head"><h1 tabindex="-1">${isEmpty ? texts.emptyHeading : texts.heading}</h1>
<p class="lead">${isEmpty ? texts.emptyLead : texts.lead}</p></div>
<ol class="ways">${isEmpty ? [account, demo, byApi, docs] : [dashboard, docs, refunds]}</ol>
</main>
</div>
<footer class="foot"><a href="/?lang=${other.code}" hreflang="${other.code}" lang="${other.code}" data-testid="language">${other.name}</a></footer>`
  return page(web, {
    ...{ title: texts.title, lang: locale, body, bodyClass: 'page' },
    bodyData: { texts: JSON.stringify(texts.live) },
  })
}

const signUpCommand = (publicUrl: string, needsCode: boolean): string => {
  const wanted = {
    email: 'anna@example.com',
    password: 'correct horse battery',
    merchantName: 'Lamps',
    ...(needsCode && { signUpCode: 'CODE' }),
  }
  const json = JSON.stringify(wanted, null, 2).replaceAll('\n', '\n  ')
  return `curl ${publicUrl}/v1/auth/sign-up \\\n  -H 'Content-Type: application/json' \\\n  -d '${json}'`
}
