import { createActor, fromPromise } from 'xstate'
import { type AnnouncedWallet, findWallets } from '../wallets/find-wallets.ts'
import { askForAccount, switchChain } from '../wallets/wallet-steps.ts'
import { fillIn } from './times.ts'
import type { PayOrder } from './transfer.ts'
import { walletMachine } from './wallet-machine.ts'
import { checkWallet, isAsAsked, sendTransfer } from './wallet-steps.ts'

export type WalletOptions = {
  readonly texts: Readonly<Record<string, string>>
  /** Tells the server the hash of a transaction. */
  readonly report: (hash: string) => Promise<void>
}

/** Wallets that announce themselves (EIP-6963) become buttons, in the part of the page that the server has left to them. */
export const openWallets = ({ texts, report }: WalletOptions) => {
  const wallets = new Map<string, AnnouncedWallet>()
  let isSearching = true
  const actor = createActor(
    walletMachine.provide({
      actors: {
        askForAccount: fromPromise(({ input }) => askForAccount(input.wallet.provider)),
        check: fromPromise(({ input }) => checkWallet(input.wallet.provider, input.order, input.account)),
        switchNetwork: fromPromise(({ input }) => switchChain(input.wallet.provider, input.order)),
        send: fromPromise(({ input }) => sendTransfer(input.wallet.provider, input.order, input.account)),
        report: fromPromise(async ({ input: { wallet, order, account, hash } }) => {
          const [isSame] = await Promise.all([isAsAsked(wallet.provider, order, account, hash), report(hash)])
          return isSame
        }),
      },
    }),
  )

  const choices = element('div', {})
  const status = element('div', { role: 'status' })
  const place = () => document.querySelector<HTMLElement>('[data-wallets]')
  const readOrder = (): PayOrder | undefined => {
    const text = place()?.dataset.order
    return text === undefined ? undefined : JSON.parse(text)
  }

  const draw = () => {
    const here = place()
    if (!here) return
    const snapshot = actor.getSnapshot()
    const isBusy = snapshot.hasTag('busy') || snapshot.matches('sent') || snapshot.matches('different')
    const buttons = [...wallets.values()].map(wallet => {
      const waits = snapshot.hasTag('busy') && snapshot.context.wallet?.id === wallet.id
      return buttonOf(wallet, isBusy, waits ? fillIn(texts.walletWaiting ?? '', { wallet: wallet.name }) : wallet.name)
    })
    const none = isSearching ? [] : [element('p', { class: 'wallets__none' }, [texts.noWallet ?? ''])]
    const hadFocus = here.contains(document.activeElement)
    const focused = document.activeElement?.getAttribute('data-wallet') ?? snapshot.context.wallet?.id ?? ''
    choices.replaceChildren(...(buttons.length > 0 ? [element('div', { class: 'buttons' }, buttons)] : none))
    status.replaceChildren(...noteOf(snapshot))
    // What is put into a status is read aloud only if the status itself was there before.
    if (!here.contains(status)) here.replaceChildren(choices, status)
    if (hadFocus) choices.querySelector<HTMLElement>(`[data-wallet="${CSS.escape(focused)}"]`)?.focus()
  }

  const buttonOf = (wallet: AnnouncedWallet, isBusy: boolean, text: string): HTMLElement => {
    const icon = wallet.icon ? [element('img', { src: wallet.icon, alt: '', width: '20', height: '20' })] : []
    const attributes = {
      ...{ class: 'button', type: 'button', 'data-testid': 'wallet', 'data-wallet': wallet.id },
      ...(isBusy && { 'aria-disabled': 'true' }),
    }
    const button = element('button', attributes, [...icon, element('span', {}, [text])])
    button.addEventListener('click', () => {
      const order = readOrder()
      if (order && !isBusy) actor.send({ type: 'pick', wallet, order })
    })
    return button
  }

  const noteOf = (snapshot: ReturnType<typeof actor.getSnapshot>): readonly HTMLElement[] => {
    const { wallet, order, problem, hash } = snapshot.context
    const values = {
      wallet: wallet?.name ?? '',
      network: order?.network ?? '',
      asset: order?.asset ?? '',
      due: order?.due ?? '',
      hash,
    }
    if (snapshot.matches('sent')) return [note(texts, 'info', 'sent', 'sentHint', values)]
    if (snapshot.matches('different')) return [note(texts, 'bad', 'different', 'differentHint', values)]
    if (snapshot.matches('sending')) return [note(texts, 'info', 'walletWaiting', 'walletOpen', values)]
    if (!problem) return []
    const all = { ...values, current: texts.anotherNetwork ?? '', ...notEmpty(problem.values) }
    const made = note(texts, problem.tone, problem.title, problem.hint, all)
    if (snapshot.matches('elsewhere')) {
      const button = element('button', { class: 'button button--primary', type: 'button' }, [
        fillIn(texts.switchTo ?? '', values),
      ])
      button.addEventListener('click', () => actor.send({ type: 'switch' }))
      made.append(element('div', { class: 'buttons' }, [button]))
    }
    return [made]
  }

  findWallets({
    legacyName: texts.browserWallet ?? '',
    found: wallet => {
      wallets.set(wallet.id, wallet)
      isSearching = false
      wallet.provider.on?.('chainChanged', () => actor.send({ type: 'chainChanged' }))
      draw()
    },
    waited: () => {
      isSearching = false
      draw()
    },
  })

  actor.subscribe(draw)
  actor.start()
  let shown = place()?.dataset.order
  return {
    /** After the page was swapped: it may have a new place for wallets, and something else may be due. */
    redraw: () => {
      const order = place()?.dataset.order
      if (dueOf(order) !== dueOf(shown)) actor.send({ type: 'orderChanged' })
      shown = order
      draw()
    },
  }
}

/** What is due, without the anchor, which changes with every block. */
const dueOf = (order: string | undefined): string => {
  if (order === undefined) return ''
  const { to, token, units, chainId } = JSON.parse(order) as PayOrder
  return [to, token, units, chainId].join()
}

const notEmpty = (values: Readonly<Record<string, string>> = {}) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''))

const note = (
  texts: WalletOptions['texts'],
  tone: string,
  title: string,
  hint: string,
  values: Readonly<Record<string, string>>,
): HTMLElement =>
  element('div', { class: 'note', 'data-tone': tone, 'data-testid': 'wallet-note' }, [
    ...iconFor(tone),
    element('b', {}, [fillIn(texts[title] ?? '', values)]),
    element('p', {}, [fillIn(texts[hint] ?? '', values)]),
  ])

/** The page has both icons in a template: the first for news, the second for problems. */
const iconFor = (tone: string): readonly Node[] => {
  const icons = document.querySelector<HTMLTemplateElement>('template[data-icons]')?.content.children
  const icon = icons?.[tone === 'info' ? 0 : 1]
  return icon ? [icon.cloneNode(true)] : []
}

/** Text is added as text: a name of a wallet that looks like markup is a name. */
const element = (
  name: string,
  attributes: Readonly<Record<string, string>>,
  children: readonly (Node | string)[] = [],
): HTMLElement => {
  const made = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value)
  made.append(...children)
  return made
}
