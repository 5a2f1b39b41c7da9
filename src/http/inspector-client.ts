import type { Socket } from './sockets.ts'

/** A client of the inspector. It is closed when it falls too far behind. */
export type InspectorClient = {
  /** Sends these messages, now or when the client has read enough. */
  say(messages: readonly string[]): void
  /** Number of messages that the client has not been sent yet. */
  behind(): number
  /** Resolves when everything was sent, or the WebSocket is closed. */
  sent(): Promise<void>
  isClosed(): boolean
  onDrain(): void
  /** The WebSocket is closed. */
  onClose(): void
  close(code: number, reason: string): void
}

export const openInspectorClient = (socket: Socket): InspectorClient => {
  let waiting: string[] = []
  let isFull = false
  let closed = false
  let reportSent = () => {}

  const pump = (): void => {
    let at = 0
    while (at < waiting.length && !isFull && !closed) isFull = !socket.send(waiting[at++] ?? '')
    waiting = closed ? [] : waiting.slice(at)
    if (waiting.length === 0 && (!isFull || closed)) reportSent()
  }
  const onClose = (): void => {
    closed = true
    pump()
  }
  return {
    say: messages => {
      if (closed) return
      waiting.push(...messages)
      pump()
    },
    behind: () => waiting.length,
    sent: async () => {
      if (closed || (waiting.length === 0 && !isFull)) return
      await new Promise<void>(resolve => {
        reportSent = resolve
      })
    },
    isClosed: () => closed,
    onDrain: () => {
      isFull = false
      pump()
    },
    onClose,
    close: (code, reason) => {
      if (closed) return
      onClose()
      socket.close(code, reason)
    },
  }
}
