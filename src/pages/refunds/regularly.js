import { warn } from './elements.js'

const OLD = 'The server does not respond. The information on this page may be out of date.'

/**
 * Repeats `work` until the page is left: one run after the other, none while the page is hidden, and one immediately when
 * the window gets the focus, for example after the wallet. Returns a function to call after the pause has changed.
 */
export const regularly = (pauseMs, work, signal) => {
  let timer
  let running = false
  const wait = () => {
    clearTimeout(timer)
    if (!running && !signal.aborted) timer = setTimeout(turn, pauseMs())
  }
  const turn = async () => {
    if (running || signal.aborted) return
    running = true
    if (document.visibilityState === 'visible')
      await work().then(
        () => warn(''),
        // An ended session shows the sign-in form instead.
        ({ code }) => warn(code === 'invalid_token' ? '' : OLD),
      )
    running = false
    wait()
  }
  wait()
  window.addEventListener('focus', turn, { signal })
  signal.addEventListener('abort', () => {
    clearTimeout(timer)
    warn('')
  })
  return wait
}
