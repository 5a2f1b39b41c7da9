import type { CustomerWithTotals } from '../../api/calls.ts'
import { NoteBox } from '../../parts/note.tsx'
import { useReader } from '../../parts/reader.ts'
import { type Scoped, useShopQuery } from '../shell/queries.ts'
import { useAddress } from '../shell/shop.ts'
import { useCustomersTexts } from './texts.ts'

/** A record that has to end before the customer can be erased. Without an address it is named only. */
type Blocker = { readonly id: string; readonly name: string; readonly href?: string }

/** Of each kind. */
const SHOWN = 10

/**
 * What has to end before a customer can be erased, read before a proof of identity is asked for. The server has the last
 * word: what it refuses by ID is added. Undefined until it is read.
 */
export const useEraseBlockers = (
  { id, totals, email, aliases }: CustomerWithTotals,
  refused: readonly string[],
): readonly Blocker[] | undefined => {
  const { erase: texts } = useCustomersTexts()
  const { formats } = useReader()
  const address = useAddress()
  const { data, error } = useShopQuery(['customers', 'one', id, 'in-use'], async ({ call, ...scope }, signal) => {
    const input = { ...scope, customerId: id, limit: SHOWN }
    const [payments, invoices, subscriptions, refunds] = await Promise.all([
      call('listPayments', { ...input, status: ['pending', 'processing'] }, { signal }),
      call('listInvoices', { ...input, status: ['draft', 'open', 'uncollectible'] }, { signal }),
      call(
        'listSubscriptions',
        { ...input, status: ['incomplete', 'trialing', 'active', 'past_due', 'paused'] },
        { signal },
      ),
      openRefundsOf({ id, emails: [email, ...aliases].slice(0, SHOWN) }, { call, ...scope }, signal),
    ])
    return { payments: payments.data, invoices: invoices.data, subscriptions: subscriptions.data, refunds }
  }).value
  if (!data && !error) return undefined
  const { payments = [], invoices = [], subscriptions = [], refunds = [] } = data ?? {}
  const found: readonly Blocker[] = [
    ...payments.map(each => ({
      id: each.id,
      name: texts.use.payments(formats.money(each.amountMinor, each.currency)),
      href: address('payments', each.id),
    })),
    ...refunds.map(each => ({
      id: each.id,
      name: texts.use.refunds(formats.money(each.amountMinor, each.currency)),
      href: address('refunds', each.id),
    })),
    ...invoices.map(each => ({
      id: each.id,
      name:
        each.number === null
          ? texts.use.draft(formats.money(each.totalMinor, each.currency))
          : texts.use.invoices(each.number),
      href: address('invoices', each.id),
    })),
    ...subscriptions.map(each => ({
      id: each.id,
      name: texts.use.subscriptions(formats.money(each.amountMinor, each.currency)),
      href: address('subscriptions', each.id),
    })),
    ...totals
      .filter(({ creditMinor }) => creditMinor > 0)
      .map(({ creditMinor, currency }) => ({ id, name: texts.use.credit(formats.money(creditMinor, currency)) })),
  ]
  const others = refused
    .filter(each => found.every(blocker => blocker.id !== each))
    .map(each => {
      const section = sections[each.split('_')[0] ?? '']
      return section === undefined
        ? { id: each, name: each === id ? texts.use.someCredit : each }
        : { id: each, name: texts.use[section === 'refunds' ? 'refund' : section](each), href: address(section, each) }
    })
  return [...found, ...others]
}

type Payer = { readonly id: string; readonly emails: readonly string[] }

/** Refunds have no customer: they are found by the e-mail addresses of their payments. */
const openRefundsOf = async ({ id, emails }: Payer, { call, ...scope }: Scoped, signal: AbortSignal) => {
  const lists = await Promise.all(
    emails.map(q => call('listRefunds', { ...scope, q, limit: SHOWN, status: OPEN_REFUNDS }, { signal })),
  )
  // Once each: one address can begin with another.
  const found = [...new Map(lists.flatMap(({ data }) => data.map(each => [each.id, each]))).values()]
  const payments = await Promise.all(
    found.map(({ merchantId, paymentId }) => call('getPayment', { merchantId, id: paymentId }, { signal })),
  )
  // Addresses that only begin with one of these are found, too.
  return found.filter((_, n) => payments[n]?.customerId === id)
}

const OPEN_REFUNDS = ['requires_destination', 'requires_signature', 'processing', 'failed'] as const

const sections: Readonly<Record<string, 'payments' | 'refunds' | 'invoices'>> = {
  ...{ pay: 'payments', re: 'refunds', inv: 'invoices' },
}

/** The records by name, each as a way to it. */
export const EraseBlockers = ({ blockers }: { readonly blockers: readonly Blocker[] }) => {
  const { erase: texts } = useCustomersTexts()
  return (
    <>
      <NoteBox tone="warn" title={texts.uses} alert>
        {texts.usesWhat}
      </NoteBox>
      <ol class="blockers">
        {blockers.map(({ id, name, href }) => (
          <li key={`${id} ${name}`}>{href === undefined ? name : <a href={href}>{name}</a>}</li>
        ))}
      </ol>
    </>
  )
}
