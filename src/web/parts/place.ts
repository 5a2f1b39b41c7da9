type Placement = { readonly align?: 'start' | 'end'; readonly width?: 'anchor' }

const GAP = 4
const MARGIN = 8

/** Puts a popover under its anchor, or above it if there is more room, and keeps it within the window. */
export const placeBelow = (popover: HTMLElement, anchor: Element, { align = 'start', width }: Placement = {}): void => {
  const { style } = popover
  const at = anchor.getBoundingClientRect()
  const [wide, high] = [document.documentElement.clientWidth, window.innerHeight]
  style.inset = 'auto'
  style.minInlineSize = width === 'anchor' ? `${at.width}px` : ''
  const [below, above] = [high - at.bottom - GAP - MARGIN, at.top - GAP - MARGIN]
  const isBelow = popover.scrollHeight <= below || below >= above
  style.maxBlockSize = `${Math.max(isBelow ? below : above, 96)}px`
  const { width: own } = popover.getBoundingClientRect()
  const isRtl = getComputedStyle(anchor).direction === 'rtl'
  const left = (align === 'start') === isRtl ? at.right - own : at.left
  style.left = `${Math.max(MARGIN, Math.min(left, wide - own - MARGIN))}px`
  if (isBelow) style.top = `${at.bottom + GAP}px`
  else style.bottom = `${high - at.top + GAP}px`
}
