import { isLoopback, limitGroup, siteOf } from './address.ts'
import type { StreamedState, Streams } from './checkout-streams.ts'
import type { Answer } from './route.ts'
import { STREAM_HEADERS } from './text-stream.ts'

export type StreamCall = { readonly address: string; readonly headers: Headers }

/** The response with an event stream, within the limits of the caller's network. */
export const openCustomersStream = (
  streams: Streams,
  { id, seen }: { readonly id: string; readonly seen: StreamedState },
  { address, headers }: StreamCall,
): Answer => {
  // Behind a proxy on this machine that is not in TRUSTED_PROXIES, all customers have the same address.
  const origin = isLoopback(address) ? undefined : { network: limitGroup(address), site: siteOf(address) }
  const text = streams.open(id, seen, { origin, lastId: headers.get('last-event-id') })
  return { status: 200, text, headers: STREAM_HEADERS }
}
