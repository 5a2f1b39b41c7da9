import type { Session } from '../../api/session.ts'
import type { FirstHour } from './first-hour.ts'

type Payer = { readonly merchantId: string; readonly email: string }

/** Pays the newest link from the sandbox wallet, and returns the payment. A payment that waits already is paid first. */
export const payLink = async (
  session: Session,
  { merchantId, email }: Payer,
  { pending, link }: Pick<FirstHour, 'pending' | 'link'>,
): Promise<string> => {
  const open = async () => {
    const opened = await session.call('openCheckout', { linkId: link?.id ?? '', customerEmail: email })
    return opened.payment.id
  }
  const id = pending?.id ?? (await open())
  await session.call('simulatePayment', { merchantId, id, scenario: 'paid' })
  return id
}
