import { button, el, say } from './elements.js'
import { showList } from './list.js'
import { nameAllNoted } from './naming.js'
import { showRefund } from './refund.js'
import { account, CHANGED, hasSession, refresh, SIGNED_OUT, signOut } from './session.js'
import { signInForm } from './sign-in.js'

const view = document.getElementById('view')
const bar = document.getElementById('account')

let left = new AbortController()
/** Whether anybody was signed in. */
let known = false
/** The path that is shown. */
let shownAt
/** The merchant that was looked at last. */
let chosen

/** Shows what the address says. `moved`: somebody has gone there within the page, and the cursor goes along. */
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
    if (!merchant) return message('You are a member of no merchant', 'Ask an owner for an invite.')
    if (id) {
      const title = await showRefund(view, id, signal)
      if (signal.aborted) return
      if (!title) return message('There is no such refund', 'Look at the address again, or ask whoever sent you here.')
      document.title = title
    } else {
      await nameAllNoted()
      await showList(view, merchant, signal)
      document.title = `Refunds – ${merchant.name}`
    }
    if (moved && !signal.aborted) view.querySelector('h1')?.focus()
  } catch (error) {
    // Nobody is signed in, which is shown already.
    if (signal.aborted || error.code === 'invalid_token') return
    message(
      'This page cannot be shown now',
      error.message || 'The service does not answer.',
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

/** Who is here, and for which merchant. */
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
        : 'The service could not be told that you sign out. Close this window, and sign out again later.',
    )
  }
  bar.replaceChildren(choice, el('bdi', { class: 'quiet' }, user.email), button('Sign out', leave, { class: 'small' }))
}

const askWho = (text = 'to see and sign refunds') => {
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

window.addEventListener(SIGNED_OUT, () => askWho(known ? 'The session has ended: sign in again.' : undefined))
window.addEventListener(CHANGED, () => open(true))
// The link to the content leads nowhere else.
window.addEventListener('popstate', () => (location.hash === '#view' && location.pathname === shownAt) || open(true))

// Within the page, so that nobody has to be asked who they are; in a new window where somebody wants one.
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

view.append(el('p', { class: 'quiet' }, 'One moment …'))
open()
