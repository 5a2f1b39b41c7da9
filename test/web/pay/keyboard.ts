import { expect } from 'bun:test'
import type { Page } from 'playwright-core'

export type FocusedPart = {
  readonly name: string
  /** It has an outline, and nothing is above it. */
  readonly isSeen: boolean
}

const focusedPart = `(() => {
  const it = document.activeElement
  if (!it || it === document.body) return null
  const part = it.matches('.choice input, .segments input') ? it.closest('label') : it
  const { outlineStyle, outlineWidth } = getComputedStyle(part)
  const { left, right, top, bottom } = part.getBoundingClientRect()
  const above = document.elementFromPoint((left + right) / 2, (Math.max(top, 0) + Math.min(bottom, innerHeight)) / 2)
  return {
    name: it.dataset.testid ?? it.getAttribute('name') ?? it.textContent.trim(),
    isSeen: outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2 && part.contains(above),
  }
})()`

/** Undefined if nothing has the focus. */
export const focusedOn = async (page: Page): Promise<FocusedPart | undefined> =>
  (await page.evaluate<FocusedPart | null>(focusedPart)) ?? undefined

/** Presses Tab until the part has the focus. Everything on the way must be seen. Returns the names on the way. */
export const tabTo = async (page: Page, name: string): Promise<readonly string[]> => {
  const passed: string[] = []
  for (let presses = 0; presses < 40; presses++) {
    await page.keyboard.press('Tab')
    const part = await focusedOn(page)
    if (!part) continue
    expect(part).toEqual({ name: part.name, isSeen: true })
    passed.push(part.name)
    if (part.name === name) return passed
  }
  throw new Error(`Tab does not lead to ${name}, but to ${passed.join(', ')}`)
}

/** Every part that Tab leads to, from the top of the page to its end. */
export const tabStops = async (page: Page): Promise<readonly string[]> => {
  const passed: string[] = []
  for (let presses = 0; presses < 40; presses++) {
    await page.keyboard.press('Tab')
    const part = await focusedOn(page)
    if (!part) return passed
    expect(part).toEqual({ name: part.name, isSeen: true })
    passed.push(part.name)
  }
  throw new Error(`Tab does not leave the page: ${passed.join(', ')}`)
}
