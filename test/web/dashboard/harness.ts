import { expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { axeFaults, faultsOf } from '../pay/gates.ts'
import type { PayServer } from '../pay/pay-server.ts'

export type Credentials = { readonly email: string; readonly password: string }

/** What people do on a page of the dashboard, by the names they see. A function: the page is opened later. */
export const onPage = (source: Page | (() => Page)) => {
  const page = () => (typeof source === 'function' ? source() : source)
  const fill = (label: string, text: string) => page().getByLabel(label, { exact: true }).fill(text)
  return {
    heading: (name: string | RegExp) => page().getByRole('heading', { level: 1, name }).waitFor(),
    click: (name: string | RegExp, role: 'button' | 'link' | 'menuitem' = 'button') =>
      page().getByRole(role, { name }).first().click(),
    fill,
    dialog: (name: string | RegExp) => page().getByRole('dialog', { name }),
    toast: (text: string) => page().locator('.toast', { hasText: text }).waitFor(),
    /** The page is accessible, and laid out in a wide and in a narrow window. */
    expectSound: async () => {
      expect(await axeFaults(page())).toEqual([])
      expect(await faultsOf(page())).toEqual([])
      await page().setViewportSize({ width: 360, height: 800 })
      expect(await faultsOf(page())).toEqual([])
      await page().setViewportSize({ width: 1280, height: 800 })
    },
    signIn: async ({ email, password }: Credentials, code?: string) => {
      await fill('E-mail', email)
      await fill('Password', password)
      await page().keyboard.press('Enter')
      if (code === undefined) return
      await fill('Code', code)
      await page().keyboard.press('Enter')
    },
  }
}

/** An account with a shop of its own. */
export const signUp = async (
  { server }: Pick<PayServer, 'server'>,
  account: Credentials,
  merchantName: string,
): Promise<string> => {
  const { json } = await server.call('POST', '/v1/auth/sign-up', { json: { ...account, merchantName } })
  return String(Object(json).merchants[0].id)
}

/** People sign in more often in a test than in a minute. */
export const forgetAttempts = async ({ server }: PayServer): Promise<void> => {
  await server.sql`delete from attempts`
}
