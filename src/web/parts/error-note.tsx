import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { errorSentence } from '../text/errors/texts.ts'
import { ShortHex } from './address.tsx'
import { NoteBox } from './note.tsx'
import { useReader } from './reader.ts'

/** What an error response says. */
type Failure = {
  readonly code: string
  readonly requestId?: string | undefined
  /** Seconds until it can be tried again. */
  readonly retryAfterS?: number | undefined
}

type ErrorNoteProps = {
  readonly failure: Failure
  readonly onRetry?: () => void
  /** What else can be done about it. */
  readonly children?: ComponentChildren
}

/** What happened, what to do, and the ID with which the operator finds the request in the log. */
export const ErrorNote = ({ failure, onRetry, children }: ErrorNoteProps) => {
  const { locale, texts } = useReader()
  const { code, requestId, retryAfterS = 0 } = failure
  const left = useCountdown(retryAfterS)
  const retry = onRetry && (
    <button type="button" class="button" aria-disabled={left > 0} onClick={() => left === 0 && onRetry()}>
      {left > 0 ? texts.tryAgainIn(left) : texts.tryAgain}
    </button>
  )
  const request = requestId !== undefined && (
    <span class="request-id">
      {texts.requestId} <ShortHex value={requestId} what={texts.requestId} />
    </span>
  )
  return (
    <NoteBox title={errorSentence(code, locale)} tone="bad" alert actions={[retry, request]}>
      {children}
    </NoteBox>
  )
}

/** Seconds that are left, from when they were given. */
const useCountdown = (seconds: number): number => {
  const [left, setLeft] = useState(seconds)
  useEffect(() => {
    setLeft(seconds)
    const timer = setInterval(() => setLeft(left => Math.max(0, left - 1)), 1_000)
    return () => clearInterval(timer)
  }, [seconds])
  return left
}
