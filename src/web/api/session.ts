import { type ReadonlySignal, signal } from '@preact/signals'
import type { Account, CallName, Calls, SignedIn } from './calls.ts'
import { ApiError, type RequestOptions, send } from './request.ts'
import { announceTab, hasOtherTabs, inOneTab } from './tabs.ts'

export type SessionState =
  /** Not asked for yet. */
  | { readonly phase: 'unknown' }
  | { readonly phase: 'signed_out' }
  | { readonly phase: 'signed_in'; readonly account: Account }

/**
 * A call waits for a person. The page opens a dialog over what it shows, and calls `done`: then the call is repeated, or
 * fails if nothing was confirmed.
 */
export type SessionGate = { readonly kind: 'sign_in' | 'step_up'; done(passed: boolean): void }

export type Session = {
  readonly state: ReadonlySignal<SessionState>
  readonly gate: ReadonlySignal<SessionGate | undefined>
  /** Finds out whether this browser has a session, once at a time. `likely`: it had one before, which saves a request. */
  start(likely: boolean): Promise<void>
  call<Name extends CallName>(
    name: Name,
    input: Calls[Name]['input'],
    options?: Pick<RequestOptions, 'signal' | 'file'>,
  ): Promise<Calls[Name]['output']>
  /** The same for requests that are not in the table of calls: `request` is repeated with another token where needed. */
  run<Output>(request: (bearer: string) => Promise<Output>): Promise<Output>
  /** An access token for a request that is not a call, such as the event stream. */
  bearer(): Promise<string>
  /** Signs in, with a password, a new account or an invite. */
  enter<Name extends EntryCall>(name: Name, input: Calls[Name]['input']): Promise<void>
  /** Reads the account again: its memberships or its second factor have changed. */
  reload(): Promise<void>
  signOut(everywhere?: boolean): Promise<void>
}

type EntryCall = 'signIn' | 'signUp' | 'acceptInvite'

type Token = { readonly value: string; readonly validUntil: number }

type Message =
  | { readonly kind: 'token'; readonly token: Token; readonly userId: string }
  | { readonly kind: 'signed_out' }
  | { readonly kind: 'who_has_a_token' }

/** A token that expires on the way is of no use. */
const MARGIN_MS = 5_000
const ANSWER_MS = 200

/**
 * The session of this browser. The access token is in memory only. All tabs share it: one of them refreshes it with the
 * cookie that no script can read, and sends it to the others.
 */
export const openBrowserSession = (): Session => {
  const state = signal<SessionState>({ phase: 'unknown' })
  const gate = signal<SessionGate>()
  const tabs = new BroadcastChannel('paymachine session')
  let token: Token | undefined
  let tokenArrived = () => {}
  announceTab()

  const isValid = (known: Token | undefined): known is Token =>
    known !== undefined && known.validUntil - MARGIN_MS > Date.now()
  const userId = (): string | undefined => (state.value.phase === 'signed_in' ? state.value.account.user.id : undefined)
  const post = (message: Message) => tabs.postMessage(message)
  const shareToken = () => {
    const id = userId()
    if (isValid(token) && id !== undefined) post({ kind: 'token', token, userId: id })
  }

  tabs.onmessage = ({ data }: MessageEvent<Message>) => {
    if (data.kind === 'who_has_a_token') shareToken()
    else if (data.kind === 'signed_out') forget()
    else {
      const known = userId()
      setToken(data.token)
      tokenArrived()
      // Another account has signed in, in another tab.
      if (known !== undefined && known !== data.userId) void load()
    }
  }

  const forget = () => {
    token = undefined
    state.value = { phase: 'signed_out' }
  }
  /** The account in the response to the last refresh. */
  let refreshed: Account | undefined
  const load = async (): Promise<void> => {
    refreshed = undefined
    const value = await bearer()
    state.value = { phase: 'signed_in', account: refreshed ?? (await send('getAccount', {}, { bearer: value })) }
  }
  const askTabs = async (): Promise<void> => {
    if (!(await hasOtherTabs())) return
    await new Promise<void>(resolve => {
      tokenArrived = resolve
      setTimeout(resolve, ANSWER_MS)
      post({ kind: 'who_has_a_token' })
    })
  }

  /** The server has answered that there is no session. It is not asked again before someone signs in, in any tab. */
  let refusal: ApiError | undefined
  const setToken = (next: Token) => {
    token = next
    refusal = undefined
  }

  /** All calls of this tab wait for the same refresh. */
  let refreshing: Promise<void> | undefined
  const refresh = (): Promise<void> => {
    refreshing ??= inOneTab('refresh', async () => {
      if (!isValid(token)) await askTabs()
      if (isValid(token)) return
      if (refusal) throw refusal
      const { accessToken, expiresIn, user, merchants } = await send('refreshSession', {}).catch(error => {
        if (error instanceof ApiError && error.code === 'invalid_token') refusal = error
        throw error
      })
      setToken({ value: accessToken, validUntil: Date.now() + expiresIn * 1_000 })
      refreshed = { user, merchants }
      shareToken()
    }).finally(() => {
      refreshing = undefined
    })
    return refreshing
  }
  const bearer = async (): Promise<string> => {
    if (!isValid(token)) await refresh()
    return token?.value ?? ''
  }

  /** All calls wait at the same gate. */
  let waiting: { readonly kind: SessionGate['kind']; readonly passed: Promise<boolean> } | undefined
  const pass = (kind: SessionGate['kind']): Promise<boolean> => {
    if (waiting?.kind === kind) return waiting.passed
    const { promise, resolve } = Promise.withResolvers<boolean>()
    waiting = { kind, passed: promise }
    gate.value = {
      kind,
      done: passed => {
        gate.value = undefined
        waiting = undefined
        resolve(passed)
      },
    }
    return promise
  }

  /** Whether the call can be tried again after this error. */
  const overcome = async (error: unknown, id: string | undefined): Promise<boolean> => {
    if (!(error instanceof ApiError)) return false
    if (error.code === 'step_up_required') return await pass('step_up')
    if (error.code !== 'invalid_token' || id === undefined) return false
    token = undefined
    try {
      await refresh()
    } catch (fault) {
      if (!(fault instanceof ApiError) || fault.code !== 'invalid_token') throw fault
      forget()
      if (!(await pass('sign_in'))) return false
    }
    // What another account may do is not what this call was for.
    return userId() === undefined || userId() === id
  }

  const run: Session['run'] = async request => {
    const id = userId()
    for (let attempt = 1; ; attempt++) {
      try {
        return await request(await bearer())
      } catch (error) {
        if (attempt === 3 || !(await overcome(error, id))) throw error
      }
    }
  }

  const find = async (likely: boolean): Promise<void> => {
    try {
      if (!likely && !(await hasOtherTabs()) && !(await send('findOwnSession', {})).signedIn) return forget()
      refusal = undefined
      await load()
      shareToken()
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'invalid_token') throw error
      forget()
    }
  }
  let starting: Promise<void> | undefined

  return {
    state,
    gate,
    bearer,
    start: likely => {
      starting ??= find(likely).finally(() => {
        starting = undefined
      })
      return starting
    },
    call: (name, input, options = {}) => run(bearer => send(name, input, { ...options, bearer })),
    run,
    enter: async (name, input) => {
      const entered: SignedIn | Account = await send(name, input)
      if (!('accessToken' in entered)) return
      const { accessToken, expiresIn, user, merchants } = entered
      setToken({ value: accessToken, validUntil: Date.now() + expiresIn * 1_000 })
      state.value = { phase: 'signed_in', account: { user, merchants } }
      shareToken()
    },
    reload: load,
    signOut: async (everywhere = false) => {
      const known = token?.value
      // This browser forgets the account even if the request fails.
      forget()
      post({ kind: 'signed_out' })
      await send('signOut', { everywhere }, { bearer: known })
    },
  }
}
