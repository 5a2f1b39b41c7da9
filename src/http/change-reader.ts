import { BEAT, openTextStream, RETRY } from './text-stream.ts'

/** A client with an open stream of changes. Unlike a state, a change is not replaced by the next one. */
export type ChangeReader = {
  readonly stream: ReadableStream<Uint8Array>
  say(text: string): void
  beat(): void
  /** Number of characters that the client has not read yet. */
  unread(): number
  end(): void
}

/** `gone` is called once when the stream ends. */
export const openChangeReader = (first: string, gone: () => void): ChangeReader => {
  let waiting: string[] = [RETRY + first]
  let unread = 0
  const take = (): string => {
    const text = waiting.join('')
    waiting = []
    unread = 0
    return text
  }
  const { stream, wake, end } = openTextStream(take, gone)
  const say = (text: string): void => {
    waiting.push(text)
    unread += text.length
    wake()
  }
  return { stream, say, beat: () => say(BEAT), unread: () => unread, end }
}
