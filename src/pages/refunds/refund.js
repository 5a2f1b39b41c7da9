import { doingsOf, nothingSaid } from './doings.js'
import { el, say } from './elements.js'
import { countOf, headOf } from './head.js'
import { nameNoted, pathOf } from './naming.js'
import { eraseNote, isOfNote, readNote } from './notes.js'
import { ANSWERED, isAsked } from './paying.js'
import { regularly } from './regularly.js'
import { account, call } from './session.js'
import { stageOf } from './stages.js'
import { moneyOf, states } from './words.js'

/** The refund and its merchant; undefined if it belongs to none of these merchants. */
const find = async (id, merchants) => {
  for (const merchant of merchants) {
    try {
      return { merchant, refund: await call('GET', pathOf(merchant.id, id)) }
    } catch (error) {
      if (error.code !== 'resource_not_found') throw error
    }
  }
}

/** Shows one refund until `signal` is aborted. Returns the title; undefined if there is no such refund. */
export const showRefund = async (view, id, signal) => {
  // A malformed ID must not become part of a path.
  const found = /^re_[0-9a-z]{1,40}$/.test(id) ? await find(id, account().merchants) : undefined
  if (!found || signal.aborted) return undefined
  const { merchant } = found
  const state = { ...found, mayAct: merchant.role !== 'viewer', attention: false, ...nothingSaid }
  const article = el('article', { class: 'refund' })

  const read = () => call('GET', pathOf(merchant.id, id))
  const readAttention = async () => {
    const { paymentId, livemode } = state.refund
    const list = await call(
      'GET',
      `/v1/merchants/${merchant.id}/refunds?attention=true&paymentId=${paymentId}&livemode=${livemode}&limit=100`,
    )
    state.attention = list.data.some(each => each.id === id)
  }

  let painted
  let pauseAnew = () => {}
  /** `follows`: the result of an action, which moves the focus to the heading. */
  const paint = (follows = false) => {
    const { refund, attention, fault, trouble, notice } = state
    // While the wallet is asked, the state of the wallet counts, not the note.
    const kept = isAsked(id) ? undefined : readNote(id)
    const note = kept && { ...kept, fault }
    const { confirmations, ...crypto } = refund.crypto
    const look = JSON.stringify([
      // The window that asks the wallet shows the steps of the wallet instead.
      isAsked(id) && !state.paying,
      refund.status,
      crypto,
      refund.unsignedTransaction,
      refund.failureReason,
      attention,
      note,
      trouble,
      notice,
    ])
    const counted = article.querySelector('.confirmations')
    if (look === painted && counted) counted.textContent = countOf(refund)
    if (look === painted || signal.aborted) return
    const takesFocus = follows || article.contains(document.activeElement)
    // The status decides how often the refund is read.
    pauseAnew()
    if (painted !== undefined) say(`${states[refund.status]}.`)
    painted = look
    article.replaceChildren(
      ...headOf(state),
      ...stageOf({ ...state, note }, doing)
        .flat(2)
        .filter(Boolean),
    )
    if (takesFocus) article.querySelector('h1').focus()
  }

  /** Reports a stored hash if there is one, and reads the refund. */
  const look = async (follows = false) => {
    const before = state.refund.status
    const named = readNote(id)?.hash ? await nameNoted(id) : {}
    state.fault = named.fault
    state.refund = named.refund ?? (await read())
    if (state.refund.status !== before) {
      state.trouble = undefined
      await readAttention()
    }
    // The refund is paid, so the note is not needed any more.
    if (state.refund.status === 'processed' && !readNote(id)?.hash) eraseNote(id)
    paint(follows)
  }

  const doing = doingsOf(state, { id, signal, read, readAttention, look, paint })

  await readAttention()
  paint()
  view.replaceChildren(
    el(
      'p',
      { class: 'back' },
      el('a', { href: `/refunds#${merchant.id}` }, 'All refunds of ', el('bdi', {}, merchant.name)),
    ),
    article,
  )
  if (readNote(id)?.hash) await look()
  /** Another window has asked a wallet, or has its answer; then the refund has changed. */
  const follow = async () => {
    const note = readNote(id)
    if (note && !note.hash) paint()
    else await look().catch(() => {})
  }
  window.addEventListener('storage', event => isOfNote(event, id) && follow(), { signal })
  // For a request from a page that was left; the page that asks continues by itself.
  window.addEventListener(ANSWERED, ({ detail }) => detail === id && !state.paying && follow(), { signal })
  pauseAnew = regularly(() => pauses[state.refund.status] ?? 60_000, look, signal)
  return `Refund of ${moneyOf(state.refund)}`
}

/** Milliseconds between reads, by status; 60 seconds for all others. */
const pauses = { processing: 3_000, requires_signature: 6_000, requires_destination: 15_000 }
