import { assign, fromPromise, setup } from 'xstate'
import type { AnnouncedWallet } from '../wallets/find-wallets.ts'
import { type WalletNotice, WalletProblem } from '../wallets/wallet-steps.ts'
import type { PayOrder } from './transfer.ts'

type WalletContext = {
  readonly wallet: AnnouncedWallet | undefined
  readonly order: PayOrder | undefined
  readonly account: string
  readonly hash: string
  readonly problem: WalletNotice | undefined
}

type WalletEvent =
  | { readonly type: 'pick'; readonly wallet: AnnouncedWallet; readonly order: PayOrder }
  | { readonly type: 'switch' }
  | { readonly type: 'chainChanged' }
  /** Something else is due. */
  | { readonly type: 'orderChanged' }

type Step = { readonly wallet: AnnouncedWallet; readonly order: PayOrder; readonly account: string }

const stepOf = ({ context }: { context: WalletContext }): Step & { readonly hash: string } => {
  const { wallet, order, account, hash } = context
  if (!wallet || !order) throw new Error('No wallet is chosen')
  return { wallet, order, account, hash }
}

const askForAccount = fromPromise<string, Step>(async () => '')
const check = fromPromise<void, Step>(async () => {})
const switchNetwork = fromPromise<void, Step>(async () => {})
const send = fromPromise<string, Step>(async () => '')
/** Tells the server the hash. False: the wallet has sent something else. */
const report = fromPromise<boolean, Step & { readonly hash: string }>(async () => true)

/** One payment by one wallet, from the click on its name to the hash of the transaction. */
export const walletMachine = setup({
  types: { context: {} as WalletContext, events: {} as WalletEvent },
  actors: { askForAccount, check, switchNetwork, send, report },
  actions: {
    pick: assign(({ event }) =>
      event.type === 'pick' ? { wallet: event.wallet, order: event.order, problem: undefined } : {},
    ),
    forgetProblem: assign({ problem: undefined }),
    noteProblem: assign({ problem: ({ event }) => problemIn(event) }),
  },
  guards: { canSwitch: ({ event }) => problemIn(event)?.canSwitch === true },
}).createMachine({
  id: 'checkout-wallet',
  context: { wallet: undefined, order: undefined, account: '', hash: '', problem: undefined },
  initial: 'idle',
  states: {
    idle: { on: { pick: { target: 'finding', actions: 'pick' }, orderChanged: { actions: 'forgetProblem' } } },
    finding: {
      tags: 'busy',
      invoke: {
        src: 'askForAccount',
        input: stepOf,
        onDone: { target: 'checking', actions: assign({ account: ({ event }) => event.output }) },
        onError: { target: 'idle', actions: 'noteProblem' },
      },
    },
    checking: {
      tags: 'busy',
      invoke: {
        src: 'check',
        input: stepOf,
        onDone: { target: 'sending', actions: 'forgetProblem' },
        onError: [
          { guard: 'canSwitch', target: 'elsewhere', actions: 'noteProblem' },
          { target: 'idle', actions: 'noteProblem' },
        ],
      },
    },
    // On another network. The customer may change it in the wallet, or by the button here.
    elsewhere: {
      on: {
        switch: 'switching',
        chainChanged: 'checking',
        pick: { target: 'finding', actions: 'pick' },
        orderChanged: { target: 'idle', actions: 'forgetProblem' },
      },
    },
    switching: {
      tags: 'busy',
      invoke: {
        src: 'switchNetwork',
        input: stepOf,
        onDone: 'checking',
        onError: { target: 'idle', actions: 'noteProblem' },
      },
    },
    sending: {
      tags: 'busy',
      invoke: {
        src: 'send',
        input: stepOf,
        onDone: { target: 'reporting', actions: assign({ hash: ({ event }) => event.output }) },
        onError: [
          { guard: 'canSwitch', target: 'elsewhere', actions: 'noteProblem' },
          { target: 'idle', actions: 'noteProblem' },
        ],
      },
    },
    reporting: {
      tags: 'busy',
      invoke: {
        src: 'report',
        input: stepOf,
        // The hash only makes the page show more: the money is detected without it.
        onDone: [{ guard: ({ event }) => event.output, target: 'sent' }, { target: 'different' }],
        onError: 'sent',
      },
    },
    sent: { on: { orderChanged: { target: 'idle', actions: 'forgetProblem' } } },
    different: { on: { orderChanged: { target: 'idle', actions: 'forgetProblem' } } },
  },
})

const problemIn = (event: object): WalletNotice | undefined => {
  if (!('error' in event)) return undefined
  const { error } = event
  return error instanceof WalletProblem
    ? error.problem
    : { title: 'walletFailed', hint: 'walletFailedHint', tone: 'bad' }
}
