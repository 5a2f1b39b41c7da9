import type { ComponentChildren } from 'preact'
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Icon, type IconName } from '../../parts/icon.tsx'
import { useReader } from '../../parts/reader.ts'
import { StateBadge } from '../../parts/state-strip.tsx'
import { besidesName, useCustomerName } from '../customers/customer-name.ts'
import { invoicePath } from '../invoices/invoice-state.ts'
import { useInvoicesTexts } from '../invoices/texts.ts'
import { paymentPath } from '../payments/payment-state.ts'
import { priceWords } from '../plans/price.ts'
import { usePlansTexts } from '../plans/texts.ts'
import { refundPath } from '../refunds/refund-state.ts'
import { useRefundTexts } from '../refunds/texts.ts'
import { useDestinations } from '../shell/destinations.ts'
import { useGo } from '../shell/leaving.ts'
import { useAddress, useCanWrite, useShop } from '../shell/shop.ts'
import { useShownEmail } from '../shell/shown-email.ts'
import { useTexts } from '../shell/texts.ts'
import { subscriptionPath } from '../subscriptions/subscription-state.ts'
import { useSubscriptionsTexts } from '../subscriptions/texts.ts'
import { type FoundRecord, useFinding } from './records.ts'
import { useFindTexts } from './texts.ts'

type Choice = {
  readonly href: string
  readonly icon: IconName
  readonly content: ComponentChildren
  /** At the end of the row. */
  readonly state?: ComponentChildren
}

type Group = { readonly title: string; readonly choices: readonly Choice[] }

/** Opens any page and any record. Focus stays in the field; the choice that Enter opens is the active descendant. */
export const Palette = ({ onClose }: { readonly onClose: () => void }) => {
  const texts = useFindTexts()
  const { livemode } = useShop()
  const go = useGo()
  const id = useId()
  const ref = useRef<HTMLDialogElement>(null)
  const [text, setText] = useState('')
  const [active, setActive] = useState(0)
  const trimmed = text.trim()
  const finding = useFinding(trimmed)
  // Those of another text are not offered: Enter would open one of them.
  const isFound = finding?.text === trimmed && finding.phase === 'found'
  const groups = useGroups(trimmed, isFound ? finding.records : [])
  const choices = groups.flatMap(group => group.choices)
  const at = Math.min(active, choices.length - 1)

  useLayoutEffect(() => {
    ref.current?.showModal()
    return () => ref.current?.close()
  }, [])
  useEffect(() => {
    ref.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' })
  })

  const open = ({ href }: Choice) => {
    onClose()
    if (href.startsWith('/dashboard/')) go(href)
    else location.assign(href)
  }
  const press = (event: KeyboardEvent) => {
    const chosen = choices[at]
    const moves: Readonly<Record<string, () => void>> = {
      ArrowDown: () => setActive((at + 1) % Math.max(1, choices.length)),
      ArrowUp: () => setActive((at + choices.length - 1) % Math.max(1, choices.length)),
      Escape: onClose,
      Enter: () => chosen && open(chosen),
    }
    const move = moves[event.key]
    if (!move) return
    event.preventDefault()
    move()
  }
  const status = () => {
    if (finding?.phase === 'searching') return texts.searching
    if (finding?.phase === 'failed') return texts.failed
    return choices.length === 0 ? texts.nothing(trimmed) : texts.count(choices.length)
  }

  return (
    <dialog
      ref={ref}
      class="dialog palette"
      aria-label={texts.title}
      onCancel={event => {
        event.preventDefault()
        onClose()
      }}
      onPointerDown={event => event.target === event.currentTarget && onClose()}
    >
      <div class="palette__ask">
        <Icon name="search" />
        <input
          role="combobox"
          aria-label={texts.title}
          aria-expanded={choices.length > 0}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={choices.length > 0 ? `${id}-${at}` : undefined}
          autocomplete="off"
          spellcheck={false}
          maxLength={200}
          value={text}
          onInput={event => {
            setText(event.currentTarget.value)
            setActive(0)
          }}
          onKeyDown={press}
        />
        <span class="key" aria-hidden="true">
          Esc
        </span>
      </div>
      <div class="palette__list" id={`${id}-list`} role="listbox" aria-label={texts.results}>
        {groups.map(({ title, choices: own }) => (
          // biome-ignore lint/a11y/useSemanticElements: a group of options, as the pattern demands
          <div key={title} role="group" aria-label={title}>
            <p class="palette__group" aria-hidden="true">
              {title}
            </p>
            {own.map(choice => {
              const n = choices.indexOf(choice)
              return (
                // biome-ignore lint/a11y/useFocusableInteractive: focus stays in the field, as the pattern demands
                // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keys
                <div
                  key={choice.href}
                  id={`${id}-${n}`}
                  class="options__item"
                  role="option"
                  aria-selected={n === at}
                  onPointerDown={event => event.preventDefault()}
                  onClick={() => open(choice)}
                >
                  <Icon name={choice.icon} />
                  <span class="clip">{choice.content}</span>
                  {choice.state}
                </div>
              )
            })}
          </div>
        ))}
      </div>
      <p class="palette__note" role="status" data-quiet={finding?.phase !== 'failed' && choices.length > 0}>
        {status()}
      </p>
      <footer class="palette__foot" aria-hidden="true">
        <span>
          <kbd class="key">↑</kbd>
          <kbd class="key">↓</kbd> {texts.choose}
        </span>
        <span>
          <kbd class="key">↵</kbd> {texts.openIt}
        </span>
        <span>{livemode ? texts.scopeLive : texts.scopeTest}</span>
      </footer>
    </dialog>
  )
}

/** What the text can mean: records, pages to create one, and pages with that name. */
const useGroups = (text: string, records: readonly FoundRecord[]): readonly Group[] => {
  const texts = useFindTexts()
  const { nav } = useTexts()
  const address = useAddress()
  const canWrite = useCanWrite()
  const { shop, billing, developers, management } = useDestinations()
  const choiceOf = useRecordChoice()
  const named = ({ content }: Choice) => String(content).toLowerCase().includes(text.toLowerCase())
  const pages: readonly Choice[] = [
    ...[...shop, ...billing, ...developers, ...management].map(({ section, icon, name }) => ({
      href: address(section),
      icon,
      content: name,
    })),
    { href: '/docs', icon: 'reference', content: nav.reference },
  ]
  const matching: Choice = {
    href: `${address('payments')}?${new URLSearchParams({ q: text })}`,
    icon: 'payments',
    content: texts.matching(text),
  }
  const news: readonly Choice[] = [
    { href: address('links', 'new'), icon: 'plus', content: texts.newLink },
    { href: address('customers', 'new'), icon: 'plus', content: texts.newCustomer },
    { href: address('invoices', 'new'), icon: 'plus', content: texts.newInvoice },
    { href: address('plans', 'new'), icon: 'plus', content: texts.newPlan },
    { href: address('subscriptions', 'new'), icon: 'plus', content: texts.newSubscription },
  ]
  const groups: readonly Group[] = [
    { title: texts.records, choices: records.map(choiceOf) },
    { title: texts.create, choices: canWrite ? news.filter(named) : [] },
    {
      title: texts.goTo,
      choices: [...pages.filter(named), ...(text === '' ? [] : [matching])],
    },
  ]
  return groups.filter(({ choices }) => choices.length > 0)
}

const useRecordChoice = () => {
  const texts = useFindTexts()
  const refundTexts = useRefundTexts()
  const invoicesTexts = useInvoicesTexts()
  const [plansTexts, subscriptionsTexts] = [usePlansTexts(), useSubscriptionsTexts()]
  const canWrite = useCanWrite()
  const { states } = useTexts()
  const { formats } = useReader()
  const address = useAddress()
  const nameOf = useCustomerName()
  const shownEmail = useShownEmail()
  return (record: FoundRecord): Choice => {
    if (record.object === 'customer')
      return {
        href: address('customers', record.id),
        icon: 'customer',
        content: (
          <>
            <b>{nameOf(record)}</b> {besidesName(record)}
          </>
        ),
      }
    if (record.object === 'invoice')
      return {
        href: address('invoices', record.id),
        icon: 'invoice',
        content: (
          <>
            <b>{record.number ?? texts.draft(formats.money(record.totalMinor, record.currency))}</b>{' '}
            {[record.customer && nameOf(record.customer), record.reference].filter(Boolean).join(', ')}
          </>
        ),
        state: <StateBadge path={invoicePath(record, invoicesTexts.states)} />,
      }
    if (record.object === 'credit_note')
      return {
        href: address('credit-notes', record.id),
        icon: 'invoice',
        content: (
          <>
            <b>{record.number}</b> {formats.money(record.totalMinor, record.currency)}
          </>
        ),
      }
    const amount = <b>{formats.money(record.amountMinor, record.currency)}</b>
    if (record.object === 'plan' || record.object === 'subscription') {
      const isPlan = record.object === 'plan'
      return {
        href: address(isPlan ? 'plans' : 'subscriptions', record.id),
        icon: isPlan ? 'plan' : 'repeat',
        content: (
          <>
            <b>{priceWords(record, plansTexts, formats)}</b> {isPlan ? record.name : record.reference}
          </>
        ),
        ...(!isPlan && { state: <StateBadge path={subscriptionPath(record, subscriptionsTexts)} /> }),
      }
    }
    switch (record.object) {
      case 'payment':
        return {
          href: address('payments', record.id),
          icon: 'payments',
          content: (
            <>
              {amount} {[shownEmail(record.customerEmail), record.reference].filter(each => each !== null).join(', ')}
            </>
          ),
          state: <StateBadge path={paymentPath(record, states)} />,
        }
      case 'payment_link':
        return {
          href: address('links', record.id),
          icon: 'link',
          content: (
            <>
              {amount} {[record.title, record.reference].filter(each => each !== null).join(', ')}
            </>
          ),
        }
      case 'refund':
        return {
          href: address('refunds', record.id),
          icon: 'refund',
          content: (
            <>
              {amount} {texts.refund}
            </>
          ),
          state: <StateBadge path={refundPath(record, refundTexts, canWrite)} />,
        }
      case 'dispute':
        return {
          href: address('disputes', record.id),
          icon: 'alert',
          content: (
            <>
              {amount} {texts.dispute}
            </>
          ),
        }
    }
  }
}
