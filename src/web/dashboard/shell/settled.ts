import { useEffect, useState } from 'preact/hooks'

const TYPING_MS = 400

/** A value that has not changed for a moment: not every key asks the server. */
export const useSettled = <Value>(value: Value): Value => {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), TYPING_MS)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}
