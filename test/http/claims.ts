import type { Api } from '../../src/http/api.ts'
import { decodeId } from '../../src/ids.ts'
import type { Called } from '../harness/api.ts'
import type { TwoShops } from './two-shops.ts'

type Server = Pick<TwoShops['server'], 'call'>

/** The secret at the end of a claim URL. */
export const secretOf = (claimUrl: string | null): string => claimUrl?.split('/').at(-1) ?? ''

export const visit = (server: Server, secret: string): Promise<Called> => server.call('GET', `/claims/${secret}`)

/** Sends the form of the page as a browser does. */
export const send = (
  server: Server,
  secret: string,
  form: Readonly<Record<string, string>> | string,
): Promise<Called> =>
  server.call('POST', `/claims/${secret}`, {
    body: typeof form === 'string' ? form : new URLSearchParams(form).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })

/** The text of a page, without its markup. */
export const wordsOf = ({ text }: Called): string =>
  text
    .replace(/<(style|script)>.*?<\/\1>/gs, '')
    .replace(/<\/?span>/g, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&#(\d+);/g, (_, code) => String.fromCharCode(code))
    .replace(/\s+/g, ' ')

export const refundRow = async ({ sql }: Api, id: string) => {
  const [row] = await sql<{ state: string; destination: string | null; named: number; proofs: number }[]>`
    select state, destination,
      (select count(*)::int from transitions t where t.actor = r.id and event = 'destination_named') as named,
      (select count(*)::int from refund_destination_proofs p where p.refund_id = r.id) as proofs
    from refunds r where id = ${decodeId('re', id) ?? ''}`
  return row
}

export const expire = ({ sql }: Api, id: string) =>
  sql`update refund_claims set expires_at = now() - interval '1 second' where id = ${decodeId('re', id) ?? ''}`
