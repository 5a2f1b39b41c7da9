import { type Html, trusted } from './html.ts'

const icon = (paths: string, more = ''): Html =>
  trusted(`<svg class="icon${more}" viewBox="0 0 20 20" aria-hidden="true">${paths}</svg>`)

const CLOCK = '<circle cx="10" cy="10" r="7.25"/><path d="M10 6v4.25l2.75 1.75"/>'
const WARNING =
  '<path d="M10 3.25 17.5 16.5h-15z"/><path d="M10 8.25v3.75"/><circle cx="10" cy="14.1" r=".4" fill="currentColor"/>'

/** On a grid of 20 px, drawn with a line of 1.5. */
export const icons = {
  bank: icon('<path d="M3 16.5h14M4 8h12M10 3.5 16 8H4zM5.5 8v6M10 8v6M14.5 8v6M3.5 14h13"/>'),
  change: icon('<path d="M4 7.5h11.5L12.5 4.5M16 12.5H4.5l3 3"/>'),
  clock: icon(CLOCK),
  clockSmall: icon(CLOCK, ' icon--s'),
  copy: icon(
    '<rect x="7" y="7" width="9.5" height="9.5" rx="2"/><path d="M13 7V5.5a2 2 0 0 0-2-2H5.5a2 2 0 0 0-2 2V11a2 2 0 0 0 2 2H7"/>',
  ),
  document: icon('<path d="M5 3.5h6.5L15 7v9.5H5z"/><path d="M11.25 3.75V7.25h3.5M7.5 10.5h5M7.5 13.25h5"/>'),
  flask: icon(
    '<path d="M8 3.5v5L3.7 15a1.25 1.25 0 0 0 1.05 1.9h10.5A1.25 1.25 0 0 0 16.3 15L12 8.5v-5M7 3.5h6M6 12h8"/>',
  ),
  info: icon(
    '<circle cx="10" cy="10" r="7.25"/><path d="M10 9.25v4.25"/><circle cx="10" cy="6.6" r=".4" fill="currentColor"/>',
  ),
  offline: icon(
    '<path d="M3 3l14 14M5 9.5a7.5 7.5 0 0 1 3-1.7M2.5 6.8A11 11 0 0 1 6.2 4.7M9.5 4a11 11 0 0 1 8 2.8M12.3 8.1A7.5 7.5 0 0 1 15 9.5M7.6 12.4a3.5 3.5 0 0 1 3.4-.8"/><circle cx="10" cy="15.3" r=".6" fill="currentColor"/>',
  ),
  phone: icon('<rect x="5.5" y="2.75" width="9" height="14.5" rx="2"/><path d="M9 14.75h2"/>'),
  print: icon(
    '<path d="M6 7V3.5h8V7M6 14.5H4.5a1.5 1.5 0 0 1-1.5-1.5V8.5A1.5 1.5 0 0 1 4.5 7h11A1.5 1.5 0 0 1 17 8.5V13a1.5 1.5 0 0 1-1.5 1.5H14"/><path d="M6 12h8v4.5H6z"/>',
  ),
  turn: icon('<path d="m8 5 5 5-5 5"/>', ' icon--s icon--turn'),
  wallet: icon(
    '<path d="M3 6.5A2 2 0 0 1 5 4.5h9v3M3 6.5v8a2 2 0 0 0 2 2h11.5v-9H4.5A1.5 1.5 0 0 1 3 6.5z"/><circle cx="13.25" cy="12" r=".6" fill="currentColor"/>',
  ),
  warning: icon(WARNING),
  warningSmall: icon(WARNING, ' icon--s'),
}

const shape = (content: string): Html => trusted(`<svg viewBox="0 0 16 16" aria-hidden="true">${content}</svg>`)
const DISC = '<circle cx="8" cy="8" r="8" fill="currentColor"/>'
const RING = '<circle cx="8" cy="8" r="7.25" fill="none" stroke="currentColor" stroke-width="1.5"/>'
const line = (path: string, width: number, ground = 'currentColor') =>
  `<path d="${path}" fill="none" stroke="${ground}" stroke-width="${width}" stroke-linecap="round" stroke-linejoin="round"/>`

/** The shapes of the state strip and of badges. Each state has a shape of its own, not a colour alone. */
export const shapes = {
  now: shape(DISC),
  next: shape(RING),
  past: shape(RING + line('m5 8.25 2.15 2.15L11.2 6', 1.5)),
  good: shape(DISC + line('m4.75 8.25 2.25 2.25L11.4 6', 1.75, 'var(--ground)')),
  half: shape(`${RING}<path d="M8 .75a7.25 7.25 0 0 0 0 14.5z" fill="currentColor"/>`),
  diamond: shape(
    `<path d="M8 0l8 8-8 8-8-8z" fill="currentColor"/>${line('M8 4.5v4', 1.5, 'var(--ground)')}<circle cx="8" cy="11" r=".9" fill="var(--ground)"/>`,
  ),
  cross: shape(DISC + line('m5.5 5.5 5 5m0-5-5 5', 1.75, 'var(--ground)')),
  dash: shape(DISC + line('M4.75 8h6.5', 1.75, 'var(--ground)')),
  away: shape(
    '<circle cx="8" cy="8" r="6.25" fill="none" stroke="currentColor" stroke-width="1.75" stroke-dasharray="2.8 2.11"/>',
  ),
}

export type ShapeName = keyof typeof shapes

const mark = (path: string): Html => trusted(`<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${path}"/></svg>`)

/** The mark at the head of an ending. */
export const seals = {
  good: mark('m5 12.5 4.5 4.5L19 7.5'),
  clock: mark('M12 6.5V12l3.5 2M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17'),
  late: mark('M12 7.5V12l3 1.75M19.8 8.6A8.5 8.5 0 1 0 20.5 12M20.5 4.5v4.2h-4.2'),
  cross: mark('M7 7l10 10M17 7 7 17'),
  dash: mark('M6.5 12h11'),
  lock: mark('M6.5 11h11v8.5h-11zM8.5 11V8a3.5 3.5 0 0 1 7 0v3'),
}

/** The mark of the software. */
export const brandMark = trusted(
  '<svg width="30" height="12" viewBox="0 0 40 16" aria-hidden="true"><path d="M11 8h5M24 8h5" stroke="currentColor" stroke-width="1.5"/><circle cx="5.5" cy="8" r="4.75" fill="none" stroke="currentColor" stroke-width="1.5"/><circle cx="20" cy="8" r="5.5" fill="currentColor"/><circle cx="34.5" cy="8" r="4.75" fill="none" stroke="currentColor" stroke-width="1.5"/></svg>',
)
