import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser } from 'playwright-core'
import { hasBrowser, openBrowser } from '../../harness/browser.ts'
import { axeFaults, faultsOf } from './gates.ts'

describe.skipIf(!hasBrowser)('the checks of pages', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await openBrowser()
  })
  afterAll(() => browser?.close())

  const check = async (body: string) => {
    await using page = await browser.newPage({ viewport: { width: 360, height: 640 } })
    await page.setContent(
      `<!doctype html><html lang="en"><title>Lamps</title><main><h1>Lamps</h1>${body}</main></html>`,
    )
    const rules = (await axeFaults(page)).map(fault => fault.split(':')[0])
    return { rules, layout: await faultsOf(page) }
  }

  test('a sound page has no faults', async () => {
    expect(await check('<p>A lamp</p><button style="min-height: 2rem">Buy</button>')).toEqual({ rules: [], layout: [] })
  })

  test.each([
    ['image-alt', '<img src="data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=">'],
    ['color-contrast', '<p style="color: #aaa; background: #fff">A lamp</p>'],
    ['label', '<input style="min-height: 2rem">'],
    ['button-name', '<button style="width: 2rem; height: 2rem"></button>'],
    ['aria-allowed-attr', '<p role="note" aria-checked="true">A lamp</p>'],
    ['heading-order', '<h4>Shades</h4>'],
  ])('a fault of accessibility is found: %s', async (rule, body) => {
    expect((await check(body)).rules).toEqual([rule])
  })

  test.each([
    [
      'outside of the window',
      '<p style="position: absolute; left: 340px; white-space: nowrap">A lamp with a shade</p>',
    ],
    ['clipped', '<p style="width: 40px; overflow: hidden; white-space: nowrap">A lamp with a shade</p>'],
    [
      'overlapping',
      '<div style="position: relative; margin: 0"><p style="margin: 0">A lamp</p><p style="margin: 0; position: absolute; top: 2px">A shade</p></div>',
    ],
    ['target of', '<button style="width: 12px; height: 12px; padding: 0" aria-label="Buy"></button>'],
  ])('a fault of layout is found: %s', async (fault, body) => {
    const { layout } = await check(body)
    expect(layout.map(each => each.slice(0, fault.length))).toContain(fault)
  })
})
