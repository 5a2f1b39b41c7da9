import { findWallets } from '../wallets.js'
import { busy, button, copyButton, el, field, showFault } from './elements.js'
import { hashIn, NO_HASH, namingFault, pathOf } from './naming.js'
import { isAsked } from './paying.js'
import { call } from './session.js'

const wallets = []
const FOUND = 'paymachine:wallet'

findWallets((name, provider) => {
  wallets.push({ name, provider })
  window.dispatchEvent(new Event(FOUND))
})

/** A button for each wallet of this browser, including wallets that are found later. Calls `pay(provider, tell)`. */
export const walletWay = ({ refund }, pay, signal) => {
  const list = el('ul', { class: 'wallets' })
  const status = el('p', { class: 'quiet', role: 'status', id: 'wallet-says' })
  const tell = text => {
    status.textContent = text
  }
  const press = provider => async event => {
    const { currentTarget: pressed } = event
    for (const each of list.querySelectorAll('button')) each.disabled = true
    await pay(provider, tell)
    for (const each of list.querySelectorAll('button')) each.disabled = false
    // The focus is lost when a button is disabled.
    if (document.activeElement === document.body) pressed.focus()
  }
  const paint = () => {
    list.replaceChildren(
      ...wallets.map(({ name, provider }) =>
        el('li', {}, button(`Pay with ${name}`, press(provider), { disabled: isAsked(refund.id) })),
      ),
    )
    if (wallets.length === 0) tell('No wallet was found in this browser. Use one of the other ways to pay.')
    else if (isAsked(refund.id)) tell('Waiting for your wallet.')
    else tell('')
  }
  paint()
  window.addEventListener(FOUND, paint, { signal })
  return el(
    'section',
    { class: 'way' },
    el('h2', {}, 'Pay with a wallet in this browser'),
    el('p', {}, 'The wallet receives the address and the amount, so you do not have to type them.'),
    list,
    status,
  )
}

/** The link and its QR code are loaded when the section is opened. */
export const linkWay = ({ refund, merchant }) => {
  const place = el('div', { class: 'link' })
  const load = async () => {
    try {
      const { paymentUri, qrCode } = await call('GET', `${pathOf(merchant.id, refund.id)}/payment-uri`)
      place.replaceChildren(
        el('img', {
          class: 'qr',
          alt: 'QR code of the link that pays this refund',
          src: `data:image/svg+xml,${encodeURIComponent(qrCode)}`,
        }),
        el(
          'div',
          {},
          el('p', {}, el('a', { href: paymentUri, class: 'uri' }, paymentUri)),
          copyButton('link', paymentUri),
        ),
      )
    } catch (error) {
      place.replaceChildren(
        el('p', { class: 'fault', role: 'alert' }, error.message || 'The link could not be loaded.'),
        button('Try again', load, { class: 'small' }),
      )
    }
  }
  const details = el(
    'details',
    { class: 'way' },
    el('summary', {}, 'Pay with another wallet, by link or QR code'),
    el(
      'p',
      {},
      'The link does not contain the ID of this refund. The payment is found automatically only if it comes from your receiving address and matches no other open refund. ',
      el('strong', {}, 'Otherwise report its hash below after you have sent it.'),
    ),
    place,
  )
  details.addEventListener('toggle', () => details.open && place.childElementCount === 0 && load())
  return details
}

/** A form for the hash of a transaction that was sent elsewhere. `name(hash)` reports it to the server. */
export const hashWay = (title, explanation, name, isOpen = false) => {
  const submit = el('button', {}, 'Report transaction')
  const form = el(
    'form',
    { novalidate: true },
    field('Transaction hash', {
      id: 'hash',
      autocomplete: 'off',
      autocapitalize: 'none',
      spellcheck: 'false',
      placeholder: '0x…',
    }),
    submit,
  )
  form.addEventListener('submit', event => {
    event.preventDefault()
    const { hash } = form.elements
    const txHash = hashIn(hash.value)
    if (!txHash) return showFault(form, NO_HASH, hash)
    return busy(submit, () => name(txHash).catch(error => showFault(form, error.words ?? namingFault(error), hash)))
  })
  return el('details', { class: 'way', open: isOpen }, el('summary', {}, title), el('p', {}, explanation), form)
}
