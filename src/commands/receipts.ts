import { isReceiptToken, makeReceiptToken } from '../access/receipt-token.ts'
import { encodeId } from '../ids.ts'
import type { Keyring } from '../keyring.ts'
import type { Sql } from '../postgres/connect.ts'
import { findPaidPayment, type PaidPayment } from '../queries/receipts.ts'

/** The URL of the receipt page, which exists as soon as the payment has succeeded. */
export const receiptUrlOf = (publicUrl: string, keyring: Keyring, paymentId: string): string =>
  `${publicUrl}/receipts/${encodeId('pay', paymentId)}?s=${makeReceiptToken(keyring, paymentId)}`

/** The payment of a receipt. Undefined if the token is wrong, or the payment has not succeeded. */
export const findPaymentReceipt = async (
  { sql, keyring }: { readonly sql: Sql; readonly keyring: Keyring },
  paymentId: string,
  token: string,
): Promise<PaidPayment | undefined> =>
  isReceiptToken(keyring, paymentId, token) ? findPaidPayment(sql, paymentId) : undefined
