import { createActor, fromCallback, fromPromise } from 'xstate'
import { listenForCopying } from './copy.ts'
import { type PageEvent, pageMachine } from './page-machine.ts'
import { readStream } from './stream.ts'
import { readPage, swap } from './swap.ts'
import { fillIn, leftText, localizeTimes, localTime, serverNow, setServerTime, untilTime } from './times.ts'
import type { openWallets } from './wallets.ts'

// The page works without this module. It makes it live.

const { body } = document
const texts: Readonly<Record<string, string>> = JSON.parse(body.dataset.texts ?? '{}')

const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
setServerTime(body.dataset.now, navigation?.responseStart ?? performance.now())

const show = async (response: Response): Promise<void> => {
  const arrived = performance.now()
  const next = await readPage(response)
  if (!next) return location.reload()
  swap(next)
  setServerTime(body.dataset.now, arrived)
  tick()
  localizeTimes()
  await showWallets()
}

const fetchPage = async (signal: AbortSignal): Promise<void> => {
  const response = await fetch(location.pathname + location.search, { signal, headers: { accept: 'text/html' } })
  // The server is busy, or not there for a moment: what is shown stays.
  if (response.status === 429 || response.status >= 500) throw new Error('busy')
  await show(response)
}

// A page that answers a form is kept in the history by its address: going back to it must not ask to send the form again.
history.replaceState(history.state, '', body.dataset.address ?? location.href)

const actor = createActor(
  pageMachine.provide({
    actors: {
      stream: fromCallback<PageEvent>(({ sendBack }) =>
        readStream(body.dataset.stream ?? '', body.dataset.event, sendBack),
      ),
      fetchPage: fromPromise(({ signal }) => fetchPage(signal)),
    },
    actions: {
      showOffline: () => {
        const since = localTime(new Date(Date.now() - 3_000), 'clock')
        banner([fillIn(texts.offline ?? '', { time: since }), texts.offlineHint ?? ''])
      },
      hideOffline: () => banner(undefined),
    },
    guards: { isLive: () => body.dataset.stream !== undefined },
  }),
)

const banner = (words: readonly [string, string] | undefined): void => {
  const place = document.querySelector<HTMLElement>('[data-banner]')
  if (!place) return
  const text = place.querySelector('p')
  place.hidden = !words
  if (!words || !text) return
  const bold = document.createElement('b')
  bold.textContent = words[0]
  text.replaceChildren(bold, ` ${words[1]}`)
}

let refreshedAt = 0
const refreshOnce = (everyMs: number): void => {
  if (performance.now() - refreshedAt < everyMs) return
  refreshedAt = performance.now()
  actor.send({ type: 'refresh' })
}

/** What changes with the time alone. */
const tick = (): void => {
  for (const each of document.querySelectorAll<HTMLTimeElement>('time[data-left]')) {
    const text = leftText(texts, Date.parse(each.dateTime) - serverNow())
    if (each.textContent !== text) each.textContent = text
  }
  const left = untilTime(body.dataset.changes)
  if (left !== undefined && left <= 0) refreshOnce(2_000)
  const { poll } = body.dataset
  if (poll !== undefined) refreshOnce(Number(poll) * 1_000)
}

/** Sends a form without leaving the page, which the event stream changes meanwhile. */
const sendLive = async (form: HTMLFormElement): Promise<void> => {
  const button = form.querySelector('button')
  if (!button || button.getAttribute('aria-disabled') === 'true') return
  const label = button.textContent
  button.setAttribute('aria-disabled', 'true')
  button.textContent = texts.sandboxPaying ?? ''
  const response = await post(form.action, {}).catch(() => undefined)
  if (response?.ok) return show(response)
  button.removeAttribute('aria-disabled')
  button.textContent = label
  const problem = document.createElement('p')
  problem.className = 'error'
  problem.setAttribute('role', 'alert')
  problem.textContent = texts.sandboxFailed ?? ''
  form.querySelector('.error')?.remove()
  form.append(problem)
}

const post = (url: string, fields: Readonly<Record<string, string>>): Promise<Response> =>
  fetch(url, { method: 'POST', body: new URLSearchParams(fields), headers: { accept: 'text/html' } })

const report = async (txHash: string): Promise<void> => {
  const response = await post(`${location.pathname}/transaction${location.search}`, { txHash })
  if (response.ok) await show(response)
}

let wallets: ReturnType<typeof openWallets> | undefined

/** Loaded only for a page on which something can be paid. */
const showWallets = async (): Promise<void> => {
  if (!document.querySelector('[data-wallets]')) return
  const module = wallets ? undefined : await import('./wallets.ts')
  wallets ??= module?.openWallets({ texts, report })
  wallets?.redraw()
}

document.addEventListener('submit', event => {
  const form = event.target
  if (!(form instanceof HTMLFormElement) || form.dataset.live === undefined) return
  event.preventDefault()
  void sendLive(form)
})

/** Links to the same page in another state. */
document.addEventListener('click', event => {
  const link = event.target instanceof Element && event.target.closest<HTMLAnchorElement>('a[data-fetch]')
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return
  event.preventDefault()
  history.replaceState(null, '', link.href)
  actor.send({ type: 'refresh' })
})

document.addEventListener('click', event => {
  if (event.target instanceof Element && event.target.closest('[data-print]')) print()
})

void showWallets()
listenForCopying(texts)
localizeTimes()
tick()
setInterval(tick, 1_000)
actor.start()

// A page that waits in the history of the browser keeps no connection.
addEventListener('pagehide', () => actor.send({ type: 'leave' }))
addEventListener('pageshow', event => {
  if (event.persisted) actor.send({ type: 'return' })
})
// A monotonic clock may stand still while a device sleeps.
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible' && body.dataset.stream !== undefined) refreshOnce(1_000)
})
