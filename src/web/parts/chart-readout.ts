import { useState } from 'preact/hooks'

type Pointed = { readonly clientX: number; readonly currentTarget: Element }

/** Which point of a chart is read: that below the pointer, or that to which the arrow keys have gone. */
export const useReadout = (count: number, kind: 'bars' | 'lines') => {
  const [chosen, setChosen] = useState<number>()
  const last = count - 1
  const at = chosen === undefined ? undefined : Math.min(chosen, last)
  const point = ({ clientX, currentTarget }: Pointed) => {
    const { left, width } = currentTarget.getBoundingClientRect()
    const part = (clientX - left) / width
    const n = kind === 'bars' ? Math.floor(part * count) : Math.round(part * last)
    setChosen(Math.max(0, Math.min(last, n)))
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const from = at ?? last
    const far = Math.max(2, Math.round(count / 10))
    const moves: Readonly<Record<string, number | undefined>> = {
      ArrowLeft: from - 1,
      ArrowDown: from - 1,
      ArrowRight: from + 1,
      ArrowUp: from + 1,
      PageDown: from - far,
      PageUp: from + far,
      Home: 0,
      End: last,
      Escape: undefined,
    }
    if (!(event.key in moves) || event.ctrlKey || event.metaKey || event.altKey) return
    // A dialog around it stays open as long as there is something to hide.
    if (event.key === 'Escape' && at === undefined) return
    event.preventDefault()
    const to = moves[event.key]
    setChosen(to === undefined ? undefined : Math.max(0, Math.min(last, to)))
  }
  return {
    at,
    /** The reader has the value of a slider at all times. */
    read: at ?? last,
    handlers: {
      onKeyDown,
      onPointerDown: point,
      onPointerMove: point,
      onPointerLeave: () => setChosen(undefined),
      onFocus: () => setChosen(current => current ?? last),
      onBlur: () => setChosen(undefined),
    },
  }
}
