import { findWallets } from '../wallets/find-wallets.ts'
import type { Provider } from '../wallets/wallet-steps.ts'

/** Lets a wallet in the browser enter its address and sign a message. The form works without this module. */
const main = (): void => {
  const place = document.getElementById('wallet')
  const address = document.getElementById('address')
  const signature = document.getElementById('signature')
  const status = document.getElementById('wallet-says')
  const list = place?.querySelector('ul')
  if (!place || !list || !status) return
  if (!(address instanceof HTMLInputElement) || !(signature instanceof HTMLInputElement)) return

  const texts: Readonly<Record<string, string>> = JSON.parse(document.body.dataset.texts ?? '{}')
  const say = (text: string | undefined) => {
    status.textContent = text ?? ''
  }

  const use = async (provider: Provider): Promise<void> => {
    say(texts.choose)
    const accounts = await ask(provider, 'eth_requestAccounts')
    const account = String(Object(accounts)[0] ?? '').toLowerCase()
    if (!/^0x[0-9a-f]{40}$/.test(account)) return say(texts.noAccount)
    address.value = account
    signature.value = ''
    say(texts.sign)
    const message = (place.dataset.message ?? '').replace('{address}', account)
    const signed = await ask(provider, 'personal_sign', [hexOf(message), account])
    // The customer may have changed the address in the meantime: the signature would not match.
    if (typeof signed === 'string' && address.value === account) signature.value = signed.toLowerCase()
    if (signature.value === '') return say(texts.unsigned)
    say(texts.signed)
    address.form?.requestSubmit()
  }

  findWallets({
    legacyName: texts.browserWallet ?? '',
    found: ({ name, provider }) => {
      const button = document.createElement('button')
      button.type = 'button'
      button.className = 'button button--wide'
      button.textContent = name
      button.addEventListener('click', async () => {
        button.disabled = true
        await use(provider)
        button.disabled = false
      })
      const item = document.createElement('li')
      item.append(button)
      list.append(item)
      place.hidden = false
    },
  })
  address.addEventListener('input', () => {
    signature.value = ''
  })
}

/** A rejection in the wallet is the decision of the customer, not an error. */
const ask = async (provider: Provider, method: string, params?: readonly unknown[]): Promise<unknown> => {
  try {
    return await provider.request({ method, ...(params && { params }) })
  } catch {
    return undefined
  }
}

const hexOf = (text: string): string =>
  `0x${Array.from(new TextEncoder().encode(text), byte => byte.toString(16).padStart(2, '0')).join('')}`

main()
