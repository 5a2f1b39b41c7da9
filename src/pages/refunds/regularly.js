import { warn } from './elements.js'

const OLD = 'The service does not answer: what is shown here may be old.'

/**
 * Does something again and again until the page is left: one turn after another, none while nobody looks, and one at
 * once when somebody comes back to the window, from a wallet perhaps. Answers what is to be called when the pause
 * has become another one.
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
        // That the session is over is shown in its own way.
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
