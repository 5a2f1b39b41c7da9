import type { ComponentChildren } from 'preact'
import { StateMark, type StateShape } from './state-mark.tsx'

export type BadgeTone = 'good' | 'warn' | 'bad' | 'info' | 'test' | 'quiet'

type BadgeProps = {
  readonly shape: StateShape
  readonly tone?: BadgeTone
  /** The word. Without it a reader who does not see colours has only the shape. */
  readonly children: ComponentChildren
}

/** A status: a word and a shape, never colour alone. */
export const Badge = ({ shape, tone, children }: BadgeProps) => (
  <span class="badge" data-tone={tone}>
    <StateMark shape={shape} />
    {children}
  </span>
)
