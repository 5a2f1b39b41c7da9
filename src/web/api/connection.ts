import { type ReadonlySignal, signal } from '@preact/signals'

export type Connection =
  | { readonly phase: 'online' }
  /** The last request has reached no server. What the page shows may be old. */
  | { readonly phase: 'offline'; readonly since: Date }

const state = signal<Connection>({ phase: 'online' })

/** Whether the server can be reached, as the last request has shown. */
export const connection: ReadonlySignal<Connection> = state

export const reportReached = (): void => {
  if (state.peek().phase === 'offline') state.value = { phase: 'online' }
}

export const reportUnreachable = (): void => {
  if (state.peek().phase === 'online') state.value = { phase: 'offline', since: new Date() }
}
