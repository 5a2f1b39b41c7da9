import { el } from './elements.js'
import { regularly } from './regularly.js'
import { call } from './session.js'
import { amountOf, masked, moneyOf, networkOf, states, timeOf } from './words.js'

/** Oldest first, because these have waited longest. Empty sections are not shown, except the first. */
const sections = [
  { title: 'Needs signature', query: 'status=requires_signature', empty: 'No refund needs a signature.' },
  {
    title: 'Needs attention',
    query: 'attention=true',
    about: 'These refunds cannot continue without you, or money was moved unexpectedly.',
  },
  { title: 'Failed', query: 'status=failed', about: 'These refunds were not paid. You can sign them again.' },
  { title: 'Processing', query: 'status=processing' },
]

/** Refunds of both modes, live mode first. */
const read = async (merchant, { query }) => {
  const lists = await Promise.all(
    [true, false].map(livemode =>
      call('GET', `/v1/merchants/${merchant.id}/refunds?${query}&livemode=${livemode}&order=asc&limit=100`),
    ),
  )
  return { refunds: lists.flatMap(({ data }) => data), hasMore: lists.some(({ has_more: more }) => more) }
}

/** Shows the refunds of a merchant until `signal` is aborted. */
export const showList = async (view, merchant, signal) => {
  const article = el('article')
  let painted
  const look = async () => {
    const found = await Promise.all(sections.map(section => read(merchant, section)))
    const now = JSON.stringify(found)
    if (now === painted || signal.aborted) return
    painted = now
    const at = document.activeElement?.getAttribute('href')
    article.replaceChildren(
      el('p', { class: 'quiet' }, el('bdi', {}, merchant.name)),
      el('h1', { tabindex: '-1' }, 'Refunds'),
      ...sections.flatMap((section, index) => sectionOf(merchant, section, found[index])),
    )
    // Restore the focus on the same refund.
    if (at) [...article.querySelectorAll('a')].find(each => each.getAttribute('href') === at)?.focus()
  }
  await look()
  if (signal.aborted) return
  view.replaceChildren(article)
  regularly(() => 20_000, look, signal)
}

const sectionOf = (merchant, { title, about, empty }, { refunds, hasMore }) => {
  if (refunds.length === 0 && !empty) return []
  return [
    el(
      'section',
      { class: 'list' },
      el(
        'h2',
        {},
        title,
        ' ',
        refunds.length > 0 && el('span', { class: 'count' }, `${refunds.length}${hasMore ? '+' : ''}`),
      ),
      el('p', { class: 'quiet' }, refunds.length === 0 ? empty : about),
      refunds.length > 0 &&
        el(
          'ul',
          { class: 'refunds' },
          refunds.map(refund => rowOf(merchant, refund)),
        ),
      hasMore && el('p', { class: 'quiet' }, 'There are more refunds. They appear when these are done.'),
    ),
  ]
}

const rowOf = ({ role }, refund) => {
  const { id, destination, status, livemode, createdAt, unsignedTransaction } = refund
  const bySigner = status === 'requires_signature' && role !== 'viewer' && !unsignedTransaction
  return el(
    'li',
    {},
    el(
      'a',
      { href: `/refunds/${id}`, class: 'row' },
      el('span', { class: 'sum' }, moneyOf(refund)),
      el('span', { class: `chip ${status}` }, bySigner ? 'Signed automatically' : states[status]),
      el(
        'span',
        { class: 'what' },
        `${amountOf(refund)} on ${networkOf(refund)}`,
        destination && ` to ${masked(destination)}`,
      ),
      el('span', { class: 'when' }, timeOf(createdAt), !livemode && el('span', { class: 'mode' }, ' Test')),
    ),
  )
}
