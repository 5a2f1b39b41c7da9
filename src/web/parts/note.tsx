import type { ComponentChildren } from 'preact'
import type { BadgeTone } from './badge.tsx'
import { Icon } from './icon.tsx'

type NoteProps = {
  readonly title: string
  readonly tone?: BadgeTone
  readonly children?: ComponentChildren
  /** What to do about it. */
  readonly actions?: ComponentChildren
  /** It appeared because of what the reader did, and is read out. */
  readonly alert?: boolean
}

/** A tinted block that says what happened and what to do. One on a page. */
export const NoteBox = ({ title, tone = 'quiet', children, actions, alert }: NoteProps) => (
  <div class="note" data-tone={tone} role={alert ? 'alert' : undefined}>
    <Icon name={tone === 'bad' || tone === 'warn' ? 'alert' : 'info'} />
    <b>{title}</b>
    {children !== undefined && <p>{children}</p>}
    {actions !== undefined && actions !== false && <div class="buttons">{actions}</div>}
  </div>
)
