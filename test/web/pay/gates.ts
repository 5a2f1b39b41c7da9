import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { until } from '../../harness/until.ts'

/**
 * What is wrong with the layout of a page, as sentences: text outside of the window or of its box, texts on top of each
 * other, and targets smaller than 24 px that are not within a sentence (WCAG 2.5.8).
 */
const layoutFaults = `(() => {
  const faults = []
  const root = document.documentElement
  if (root.scrollWidth > root.clientWidth) faults.push('scrolls sideways by ' + (root.scrollWidth - root.clientWidth))
  const nameOf = each => each.tagName.toLowerCase() + '.' + [...each.classList].join('.') + ' "' + each.textContent.trim().slice(0, 30) + '"'
  const isVisible = each => each.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && !each.closest('.sr, .skip, .toast-stack') && layer.contains(each) && each.offsetWidth !== 1
  const boxes = []
  // What a dialog or a menu covers is not seen, and a short message covers the page for a moment.
  const layer = [...document.querySelectorAll('dialog:modal, :popover-open:not(.toast-stack)')].at(-1) ?? document.body
  // Texts share most of their boxes, so each box is looked at once.
  const known = new Map()
  const factsOf = box => {
    if (!known.has(box)) {
      const { webkitLineClamp, textOverflow, overflowX, overflowY } = getComputedStyle(box)
      const isClamped = webkitLineClamp !== 'none' || textOverflow === 'ellipsis'
      const isClipping = overflowX !== 'visible' && !isClamped && box.scrollWidth > box.clientWidth + 1
      known.set(box, { isClamped, isClipping, isScrolled: /auto|scroll/.test(overflowY), end: box.getBoundingClientRect() })
    }
    return known.get(box)
  }
  // A text that ends in an ellipsis is seen as far as its box reaches, one in a box that scrolls as far as it is scrolled to.
  const seen = (rect, within) => {
    let { left, right, top, bottom } = rect
    for (let box = within; box && box !== document.body; box = box.parentElement) {
      const { isClamped, isScrolled, end } = factsOf(box)
      if (isScrolled) [top, bottom] = [Math.max(top, end.top), Math.min(bottom, end.bottom)]
      if (isClamped) [left, right, bottom] = [Math.max(left, end.left), Math.min(right, end.right), Math.min(bottom, end.bottom)]
    }
    return { left, right, top, bottom, width: right - left, height: bottom - top }
  }
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) {
    const node = walker.currentNode
    const parent = node.parentElement
    if (!node.nodeValue.trim() || !isVisible(parent) || parent.closest('script, style, noscript, template, option')) continue
    const range = document.createRange()
    range.selectNodeContents(node)
    for (const whole of range.getClientRects()) {
      const rect = seen(whole, parent)
      if (rect.width < 1 || rect.height < 1) continue
      if (rect.left < -0.5 || rect.right > root.clientWidth + 0.5) faults.push('outside of the window: ' + nameOf(parent))
      boxes.push({ parent, rect })
    }
    for (let box = parent; box && box !== document.body; box = box.parentElement)
      if (factsOf(box).isClipping) faults.push('clipped: ' + nameOf(box))
  }
  // From top to bottom: what begins below the end of a text does not overlap it, nor does what follows.
  const laid = boxes.filter(({ parent }) => !parent.closest('.test, .top, .bottom')).sort((a, b) => a.rect.top - b.rect.top)
  for (const [at, one] of laid.entries())
    for (let next = at + 1; next < laid.length && laid[next].rect.top < one.rect.bottom; next++) {
      const other = laid[next]
      if (one.parent === other.parent) continue
      const width = Math.min(one.rect.right, other.rect.right) - Math.max(one.rect.left, other.rect.left)
      const height = Math.min(one.rect.bottom, other.rect.bottom) - Math.max(one.rect.top, other.rect.top)
      if (width > 2 && height > 4) faults.push('overlapping: ' + nameOf(one.parent) + ' and ' + nameOf(other.parent))
    }
  for (const each of document.querySelectorAll('a, button, input, summary, label, [role=button]')) {
    if (!isVisible(each) || each.closest('.choice, .check, .segments label') && each.tagName === 'INPUT') continue
    const isInSentence = each.tagName === 'A' && each.closest('p, dd, td, .note')
    const { width, height } = each.getBoundingClientRect()
    if (each.tagName === 'LABEL' && !each.matches('.choice, .check, .segments label')) continue
    if (!isInSentence && (width < 24 || height < 24)) faults.push('target of ' + Math.round(width) + ' × ' + Math.round(height) + ': ' + nameOf(each))
  }
  return [...new Set(faults)]
})()`

export const faultsOf = async (page: Page): Promise<readonly string[]> =>
  (await page.evaluate(layoutFaults)) as string[]

const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')
/** Not the text of the style sheets, which only rules read that are off: loading it took a third of the time. */
const runAxe = `axe.run(document, { resultTypes: ['violations'], preload: { assets: ['media'] } }).then(({ violations }) =>
  violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html.slice(0, 120)).join(' | ')))`

/** Accessibility, with the rules of WCAG 2.2 A and AA and the best practices. */
export const axeFaults = async (page: Page): Promise<readonly string[]> => {
  // While a dialog fades in, its text has too little contrast.
  await page.evaluate(
    'Promise.allSettled(document.getAnimations().filter(each => each.effect?.getComputedTiming().endTime !== Infinity).map(each => each.finished))',
  )
  // It has half a megabyte.
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(axe)
  return (await page.evaluate(runAxe)) as string[]
}

export const unfoldAll = 'for (const each of document.querySelectorAll("details")) each.open = true'

/** How much parts of a page move while it loads: nothing may. */
export const shiftsWhileLoading = async (page: Page, url: string): Promise<number> => {
  await page.addInitScript(`
    globalThis.shifts = 0
    new PerformanceObserver(list => { for (const each of list.getEntries()) globalThis.shifts += each.value })
      .observe({ type: 'layout-shift', buffered: true })`)
  await page.goto(url, { waitUntil: 'load' })
  await until(() => page.evaluate<boolean>('performance.getEntriesByType("paint").length > 0'))
  return page.evaluate<number>('globalThis.shifts')
}
