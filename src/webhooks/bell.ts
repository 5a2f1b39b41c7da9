/** Wakes one who waits; rung while nobody does, it wakes the next one at once. */
export type Bell = {
  ring(): void
  wait(ms: number): Promise<void>
  /** The same for who is not to be woken by it. */
  rest(ms: number): Promise<void>
  /** Nobody waits or rests any more. */
  close(): void
}

export const openBell = (): Bell => {
  let rung = false
  let closed = false
  let wake = () => {}
  let end = () => {}

  const sleep = (ms: number): Promise<void> =>
    new Promise(resolve => {
      const timer = setTimeout(resolve, ms)
      end = () => {
        clearTimeout(timer)
        resolve()
      }
    })

  return {
    ring: () => {
      rung = true
      wake()
    },
    wait: async ms => {
      if (!rung && !closed) {
        const sleeping = sleep(ms)
        wake = end
        await sleeping
        wake = () => {}
      }
      rung = false
    },
    rest: async ms => {
      if (!closed) await sleep(ms)
    },
    close: () => {
      closed = true
      end()
    },
  }
}
