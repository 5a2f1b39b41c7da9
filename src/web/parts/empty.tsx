import type { ComponentChildren } from 'preact'

type EmptyProps = {
  readonly title: string
  /** What the list is for, and how the first entry comes into it. */
  readonly children: ComponentChildren
  /** The one next step. */
  readonly action?: ComponentChildren
}

/** Instead of an empty list. */
export const Empty = ({ title, children, action }: EmptyProps) => (
  <div class="empty">
    {/* The state strip, not begun. */}
    <svg class="empty__art" viewBox="0 0 132 24" width="132" height="24" aria-hidden="true">
      <path d="M24 12h34M74 12h34" stroke-dasharray="2 4" />
      <circle cx="14" cy="12" r="8" />
      <circle cx="66" cy="12" r="8" />
      <circle cx="118" cy="12" r="8" />
    </svg>
    <h2>{title}</h2>
    <p>{children}</p>
    {action}
  </div>
)
