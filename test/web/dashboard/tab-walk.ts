import { expect } from 'bun:test'
import type { Page } from 'playwright-core'

/** What Tab must lead to: in the dialog that is open, or else on the page. Of radio buttons with one name, one of them. */
const markStops = `(() => {
  const root = document.querySelector('dialog:modal') ?? document
  const all = [...root.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex]')]
  const stops = all.filter(each => each.tabIndex >= 0 && !each.disabled && each.checkVisibility({ visibilityProperty: true }))
  const isOther = each =>
    each.type === 'radio' && !each.checked && stops.some(one => one.type === 'radio' && one.name === each.name && one !== each)
  window.tabStops = stops.filter(each => !isOther(each))
  window.tabPassed = new Set()
  return window.tabStops.length
})()`

const nameOf = `const nameOf = it => (it.getAttribute('aria-label') ?? it.labels?.[0]?.textContent ?? it.textContent ?? '').trim().slice(0, 60) || it.outerHTML.slice(0, 80)`

/** The part that has the focus; null if it has left the page. */
const passStop = `(() => {
  ${nameOf}
  const it = document.activeElement
  if (!it || it === document.body) return null
  window.tabPassed?.add(it)
  // Radio buttons mark their label, links of a list their row.
  const part = it.matches('[type=radio], [type=checkbox], [type=file]') ? (it.closest('label') ?? it) : it
  const isOutlined = each => {
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(each)
    return (outlineStyle !== 'none' && parseFloat(outlineWidth) >= 1) || boxShadow !== 'none'
  }
  const { left, right, top, bottom } = part.getBoundingClientRect()
  const above = document.elementFromPoint((left + right) / 2, (Math.max(top, 0) + Math.min(bottom, innerHeight)) / 2)
  const isMarked = [it, part, it.matches('a.open') ? it.closest('tr') : null].some(each => each && isOutlined(each))
  return {
    name: nameOf(it),
    isSeen: isMarked && above !== null && (part.contains(above) || above.contains(part)),
    isInDialog: it.closest('dialog:modal') !== null,
  }
})()`

export type Stop = { readonly name: string; readonly isSeen: boolean; readonly isInDialog: boolean }

export const focused = (page: Page): Promise<Stop | null> => page.evaluate<Stop | null>(passStop)

const MOST = 150

/** Walks a page by Tab from its top to its end. Every part is reached and seen, and the focus leaves at the end. */
export const walkPage = async (page: Page): Promise<void> => {
  await page.evaluate('document.activeElement?.blur?.(); getSelection()?.removeAllRanges(); scrollTo(0, 0)')
  await page.evaluate(
    '(() => { document.body.tabIndex = -1; document.body.focus(); document.body.removeAttribute("tabindex") })()',
  )
  expect(await page.evaluate<number>(markStops)).toBeGreaterThan(0)
  for (let presses = 0; presses < MOST; presses++) {
    await page.keyboard.press('Tab')
    const stop = await focused(page)
    if (!stop) {
      expect(await missed(page)).toEqual([])
      return
    }
    expect(stop).toEqual({ ...stop, isSeen: true })
  }
  throw new Error(`Tab does not leave ${page.url()}`)
}

/** Parts that are still there and were not reached. */
const missed = (page: Page): Promise<readonly string[]> =>
  page.evaluate<string[]>(
    `(() => { ${nameOf}; return window.tabStops.filter(each => each.isConnected && each.checkVisibility() && !window.tabPassed.has(each)).map(nameOf) })()`,
  )

/** Walks a dialog by Tab: every part is reached and seen, and the focus stays in it. Escape closes it, and the focus returns. */
export const walkDialog = async (page: Page, opener: string): Promise<void> => {
  await page.locator('dialog:modal').waitFor()
  const stops = await page.evaluate<number>(markStops)
  await focused(page)
  for (let presses = 0; presses < 2 * stops + 2; presses++) {
    await page.keyboard.press('Tab')
    const stop = await focused(page)
    // The browser's own bar lies between the last part and the first.
    if (stop) expect(stop).toEqual({ ...stop, isInDialog: true, isSeen: true })
  }
  expect(await missed(page)).toEqual([])
  await page.keyboard.press('Escape')
  await page.locator('dialog:modal').waitFor({ state: 'hidden' })
  expect((await focused(page))?.name).toBe(opener)
}

/** Presses Tab, or Shift and Tab, until the part with this name has the focus. */
export const tabToPart = async (
  page: Page,
  name: string | RegExp,
  key: 'Tab' | 'Shift+Tab' = 'Tab',
): Promise<string> => {
  const passed: string[] = []
  for (let presses = 0; presses < MOST; presses++) {
    await page.keyboard.press(key)
    const stop = await focused(page)
    if (stop && (typeof name === 'string' ? stop.name === name : name.test(stop.name))) return stop.name
    passed.push(stop?.name ?? '')
  }
  throw new Error(`${key} does not lead to ${name}, but to ${passed.join(', ')}`)
}
