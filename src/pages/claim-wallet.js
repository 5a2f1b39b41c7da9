import { findWallets } from './wallets.js'

/** Lets a wallet of the browser fill in its address and sign for it. The form works without any of this. */
;(() => {
  const place = document.getElementById('wallet')
  const address = document.getElementById('address')
  const signature = document.getElementById('signature')
  const status = document.getElementById('wallet-says')
  if (!place || !address || !signature || !status) return
  const list = place.querySelector('.wallets')

  const say = text => {
    status.textContent = text
  }
  const hexOf = text =>
    `0x${Array.from(new TextEncoder().encode(text), byte => byte.toString(16).padStart(2, '0')).join('')}`

  /** A refusal of the wallet is the customer's own word, and no fault. */
  const use = async provider => {
    say('Look at your wallet: it asks which account you want to use.')
    let account
    try {
      const accounts = await provider.request({ method: 'eth_requestAccounts' })
      account = String(accounts?.[0] ?? '').toLowerCase()
    } catch {}
    if (!/^0x[0-9a-f]{40}$/.test(account)) return say('The wallet has given no address. You can type one.')
    address.value = account
    signature.value = ''
    say('Look at your wallet: it asks you to sign that the address is yours. That costs nothing.')
    try {
      const message = place.dataset.message.replace('{address}', account)
      const signed = await provider.request({ method: 'personal_sign', params: [hexOf(message), account] })
      // Typed over meanwhile, it would be signed for nobody.
      if (address.value === account) signature.value = String(signed).toLowerCase()
    } catch {}
    if (signature.value === '')
      return say('The address is filled in. It was not signed for, and need not be: continue.')
    say('Signed.')
    address.form.requestSubmit()
  }

  const offer = (name, provider) => {
    const button = document.createElement('button')
    button.type = 'button'
    button.textContent = name
    button.addEventListener('click', () => {
      button.disabled = true
      use(provider).finally(() => {
        button.disabled = false
      })
    })
    const item = document.createElement('li')
    item.append(button)
    list.append(item)
    place.hidden = false
  }

  address.addEventListener('input', () => {
    signature.value = ''
  })
  findWallets(offer)
})()
