import { findWallets } from './wallets.js'

/** Lets a browser wallet enter its address and sign a message. The form works without this script. */
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

  /** A rejection in the wallet is the decision of the customer, not an error. */
  const use = async provider => {
    say('Open your wallet and choose the account for the refund.')
    let account
    try {
      const accounts = await provider.request({ method: 'eth_requestAccounts' })
      account = String(accounts?.[0] ?? '').toLowerCase()
    } catch {}
    if (!/^0x[0-9a-f]{40}$/.test(account)) return say('The wallet did not return an address. You can type one.')
    address.value = account
    signature.value = ''
    say('Open your wallet and sign the message. It confirms that the address is yours, and costs nothing.')
    try {
      const message = place.dataset.message.replace('{address}', account)
      const signed = await provider.request({ method: 'personal_sign', params: [hexOf(message), account] })
      // The customer may have changed the address in the meantime: the signature would not match.
      if (address.value === account) signature.value = String(signed).toLowerCase()
    } catch {}
    if (signature.value === '')
      return say('The address was entered without a signature. A signature is optional: you can continue.')
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
