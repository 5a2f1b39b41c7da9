import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Icon } from './icon.tsx'
import { useReader } from './reader.ts'

type CopyProps = {
  readonly value: string
  /** What is copied, for the label: `the address`. */
  readonly what: string
  /** A word beside the icon. */
  readonly children?: ComponentChildren
}

const SHOWN_MS = 2_000

/** Answers in place, so that nothing covers what was copied. */
export const CopyButton = ({ value, what, children }: CopyProps) => {
  const { texts } = useReader()
  const [outcome, setOutcome] = useState<'copied' | 'failed'>()
  useEffect(() => {
    if (!outcome) return
    const timer = setTimeout(() => setOutcome(undefined), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [outcome])
  const said = outcome && (outcome === 'copied' ? texts.copied : texts.copyFailed)
  return (
    <button
      type="button"
      class={children === undefined ? 'copy-button' : 'button'}
      aria-label={children === undefined ? texts.copyOf(what) : undefined}
      data-outcome={outcome}
      onClick={async () => setOutcome((await copyText(value)) ? 'copied' : 'failed')}
    >
      <Icon name={outcome === 'copied' ? 'check' : outcome ? 'alert' : 'copy'} small={children === undefined} />
      {children !== undefined && <span>{said ?? children}</span>}
      <span class="sr" role="status">
        {said}
      </span>
    </button>
  )
}

/** Without https there is no clipboard, except on this machine: then the browser copies a selection. */
export const copyText = async (text: string): Promise<boolean> => {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    const area = document.createElement('textarea')
    area.value = text
    area.readOnly = true
    area.className = 'sr'
    const before = document.activeElement
    // In an open dialog, because everything outside of it is inert.
    const parent = before?.closest('dialog') ?? document.body
    parent.append(area)
    area.select()
    const copied = document.execCommand('copy')
    area.remove()
    if (before instanceof HTMLElement) before.focus()
    return copied
  }
}
