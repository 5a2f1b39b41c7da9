/** A pause of a loop that can be ended early. */
export type WakeSignal = {
  /** Ends the pause. If the loop is not in `wait`, its next `wait` ends immediately. */
  wake(): void
  wait(ms: number): Promise<void>
  /** A pause that `wake` does not end. */
  rest(ms: number): Promise<void>
  /** Ends every pause, now and later. */
  close(): void
}

export const openWakeSignal = (): WakeSignal => {
  let signaled = false
  let closed = false
  let endWait = () => {}
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
    wake: () => {
      signaled = true
      endWait()
    },
    wait: async ms => {
      if (!signaled && !closed) {
        const sleeping = sleep(ms)
        endWait = end
        await sleeping
        endWait = () => {}
      }
      signaled = false
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
