import { button, el, say } from './elements.js'
import { showList } from './list.js'
import { nameAllNoted } from './naming.js'
import { showRefund } from './refund.js'
import { account, CHANGED, hasSession, refresh, SIGNED_OUT, signOut } from './session.js'
import { signInForm } from './sign-in.js'

const view = document.getElementById('view')
const bar = document.getElementById('account')

let left = new AbortController()
/** Whether an account was signed in before. */
let known = false
/** The path that is displayed. */
let shownAt
/** The merchant that was displayed last. */
let chosen

/** Shows the page of the current URL. `moved`: after a navigation within the page, which moves the focus. */
const open = async (moved = false) => {
  left.abort()
  left = new AbortController()
  const { signal } = left
  shownAt = location.pathname
  say('')
  try {
    if (!account()) {
      const isSignedIn = await hasSession()
      if (signal.aborted) return
      if (!isSignedIn) return askWho()
      await refresh()
    }
    if (signal.aborted) return
    const { merchants } = account()
    known = true
    const [, id] = /^\/refunds\/([^/]+)$/.exec(location.pathname) ?? []
    const merchant =
      merchants.find(each => `#${each.id}` === location.hash) ??
      merchants.find(each => each.id === chosen) ??
      merchants[0]
    chosen = merchant?.id
    paintBar(id ? undefined : merchant)
    if (!merchant)
      return message('No merchant', 'Your account is not a member of a merchant. Ask an owner for an invite.')
    if (id) {
      const title = await showRefund(view, id, signal)
      if (signal.aborted) return
      if (!title)
        return message(
          'Refund not found',
          'The refund does not exist, or you do not have access to it. Check the link, or ask the sender for a new one.',
        )
      document.title = title
    } else {
      await nameAllNoted()
      await showList(view, merchant, signal)
      document.title = `Refunds – ${merchant.name}`
    }
    if (moved && !signal.aborted) view.querySelector('h1')?.focus()
  } catch (error) {
    // The session has ended: the sign-in form is already displayed.
    if (signal.aborted || error.code === 'invalid_token') return
    message(
      'This page cannot be loaded',
      error.message || 'The server does not respond. Try again in a moment.',
      button('Try again', () => open(true)),
    )
  }
}

const message = (title, text, more) => {
  document.title = title
  const heading = el('h1', { tabindex: '-1' }, title)
  view.replaceChildren(
    el('article', {}, heading, el('p', {}, text), more, el('p', {}, el('a', { href: '/refunds' }, 'All refunds'))),
  )
  heading.focus()
}

const go = address => {
  history.pushState(null, '', address)
  open(true)
}

/** The account and the merchant in the top bar. */
const paintBar = merchant => {
  const { user, merchants } = account()
  const choice =
    merchant && merchants.length > 1
      ? el(
          'select',
          { 'aria-label': 'Merchant', onchange: ({ target }) => go(`/refunds#${target.value}`) },
          merchants.map(({ id, name }) => el('option', { value: id, selected: id === merchant.id }, name)),
        )
      : ''
  const leave = async () => {
    const ended = await signOut().then(
      () => true,
      ({ code }) => code === 'invalid_token',
    )
    askWho(
      ended
        ? 'You have signed out.'
        : 'The server cannot be reached, so your session has not ended yet. Close this window and sign out again later.',
    )
  }
  bar.replaceChildren(choice, el('bdi', { class: 'quiet' }, user.email), button('Sign out', leave, { class: 'small' }))
}

const askWho = (text = 'Sign in to view and sign refunds.') => {
  left.abort()
  if (view.querySelector('#password')) return
  document.title = 'Sign in – Refunds'
  bar.replaceChildren()
  const heading = el('h1', { tabindex: '-1' }, 'Sign in')
  view.replaceChildren(
    el(
      'article',
      { class: 'narrow' },
      heading,
      el('p', { class: 'quiet', role: 'status' }, text),
      signInForm(() => open(true)),
    ),
  )
  heading.focus()
}

window.addEventListener(SIGNED_OUT, () => askWho(known ? 'Your session has ended. Sign in again.' : undefined))
window.addEventListener(CHANGED, () => open(true))
// The skip link changes only the hash of the URL.
window.addEventListener('popstate', () => (location.hash === '#view' && location.pathname === shownAt) || open(true))

// Navigation within the page keeps the session. Clicks that open a new window or tab work as usual.
document.addEventListener('click', event => {
  const link = event.target.closest?.('a[href^="/refunds"]')
  if (
    !link ||
    event.defaultPrevented ||
    event.button !== 0 ||
    event.metaKey ||
    event.ctrlKey ||
    event.shiftKey ||
    event.altKey
  )
    return
  event.preventDefault()
  go(link.getAttribute('href'))
})

view.append(el('p', { class: 'quiet' }, 'Loading …'))
open()
