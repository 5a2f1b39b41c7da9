import { StartError } from '../process/start-error.ts'
import type { Terminal } from './terminal.ts'

/** A session of an operator at the server, by the documented API. */
export type OperatorSession = {
  /** The address of a WebSocket of the inspector. It can be opened once. */
  createAddress(filter: Readonly<Record<string, string>>): Promise<string>
  /** Signs out. */
  end(): Promise<void>
}

type Answer = { readonly accessToken?: string; readonly ticket?: string; readonly error?: { readonly code: string } }

/** Asks for e-mail address, password and, if it is on, a code of the second factor. */
export const openOperatorSession = async (server: string, terminal: Terminal): Promise<OperatorSession> => {
  let cookie = ''
  let bearer = ''
  const post = async (path: string, body: object = {}) => {
    const response = await fetch(`${server}${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', authorization: `Bearer ${bearer}`, cookie },
      signal: AbortSignal.timeout(10_000),
    })
    cookie = response.headers.get('set-cookie')?.split(';')[0] ?? cookie
    const answer: Answer = response.status === 204 ? {} : Object(await response.json())
    bearer = answer.accessToken ?? bearer
    return { status: response.status, ...answer }
  }
  const signIn = async (given: object) => {
    const answer = await post('/v1/auth/sign-in', given).catch(() => undefined)
    if (!answer) throw new StartError(`${server} does not answer: start the server, or name it with --server`)
    return answer
  }

  const given = {
    email: await terminal.ask('E-mail address of an operator: '),
    password: await terminal.ask('Password: ', { hidden: true }),
  }
  let { status, error } = await signIn(given)
  if (error?.code === 'mfa_required')
    ({ status, error } = await signIn({ ...given, code: await terminal.ask('Code of the second factor: ') }))
  if (status !== 200) throw new StartError(`The sign-in was refused: ${error?.code}`)

  const createTicket = async () => {
    const first = await post('/v1/ops/tickets')
    // The access token is valid for a quarter of an hour.
    if (first.status !== 401 || (await post('/v1/auth/refresh')).status !== 200) return first
    return post('/v1/ops/tickets')
  }
  const session: OperatorSession = {
    createAddress: async filter => {
      const { ticket, error } = await createTicket()
      if (ticket === undefined) throw new StartError(`The server refused to be inspected: ${error?.code}`)
      const query = new URLSearchParams({ ticket, ...filter })
      return `${server.replace(/^http/, 'ws')}/v1/ops/inspect?${query}`
    },
    end: async () => {
      await post('/v1/auth/sign-out').catch(() => {})
    },
  }
  return session
}
