import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

/** The shell takes half the processor time: it opens no windows with tabs and tool bars. */
const names = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']
const executablePath = names.map(name => `/usr/bin/${name}`).find(existsSync)

/** Whether a browser is installed. */
export const hasBrowser = executablePath !== undefined

/** A browser with an empty profile that sends no requests of its own. */
export const openBrowser = (): Promise<Browser> =>
  chromium.launch({
    ...(executablePath && { executablePath }),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
