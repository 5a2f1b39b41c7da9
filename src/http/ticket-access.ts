import { hash } from 'node:crypto'
import { isCrossSite } from '../access/refresh-cookie.ts'
import { refuse } from '../errors.ts'
import { type TicketHolder, takeTicket } from '../queries/ops/tickets.ts'
import type { Api } from './api.ts'
import type { Visit } from './visit.ts'

/** The ticket of 256 random bits in the query, which is used up. Pages of other sites cannot use one. */
export const findTicketHolder = async (api: Api, { request, headers }: Visit): Promise<TicketHolder> => {
  if (isCrossSite(api.settings.publicUrl, headers))
    return refuse('insufficient_role', { message: 'The request was sent by a page of another site.' })
  const ticket = URL.parse(request.url, 'http://localhost')?.searchParams.get('ticket') ?? ''
  const hashed = hashTicket(ticket)
  return (hashed && (await takeTicket(api.sql, hashed))) ?? refuse('invalid_token')
}

export const newTicket = (random: Api['random']): string =>
  Buffer.from(random(new Uint8Array(32))).toString('base64url')

/** Undefined if the text is not a ticket. */
export const hashTicket = (ticket: string): Buffer | undefined =>
  /^[\w-]{43}$/.test(ticket) ? hash('sha256', ticket, 'buffer') : undefined
