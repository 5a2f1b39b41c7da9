import { insertTicket } from '../../queries/ops/tickets.ts'
import { createTicketDocs } from '../docs/ops-inspector.ts'
import { forOperators, type Route } from '../route.ts'
import { hashTicket, newTicket } from '../ticket-access.ts'

export const ticketRoutes: readonly Route[] = [
  forOperators(
    'POST',
    {},
    {
      path: '/v1/ops/tickets',
      docs: createTicketDocs,
      handle: async ({ sql, random }, { session }) => {
        const ticket = newTicket(random)
        const hashed = hashTicket(ticket)
        if (!hashed) throw new Error('a new ticket has the wrong form')
        await insertTicket(sql, hashed, session.sessionId)
        return { status: 201, body: { ticket, expiresIn: 60 } }
      },
    },
  ),
]
