import type { Refund } from '../../machines/refund.ts'
import type { Row } from '../actors/command.ts'
import type { Actor } from '../actors/kind.ts'
import type { ActorRow } from '../actors/rows.ts'
import { refundKind } from '../kinds/refund.ts'
import type { Sql } from '../postgres/connect.ts'
import { readerOf } from './actors.ts'

export type RefundClaim = { readonly refundId: string; readonly sealedSecret: string; readonly expiresAt: Date }

/** The row that is committed with the command that creates a refund. */
export const claimRow = ({ refundId, sealedSecret, expiresAt }: RefundClaim, secretHash: Buffer): Row => ({
  table: 'refund_claims',
  row: {
    id: refundId,
    secret_hash: `\\x${secretHash.toString('hex')}`,
    sealed_secret: sealedSecret,
    expires_at: expiresAt,
  },
})

/** The claims of these refunds. Not every refund has one. */
export const listClaims = async (sql: Sql, refundIds: readonly string[]): Promise<RefundClaim[]> => {
  if (refundIds.length === 0) return []
  return sql<RefundClaim[]>`
    select id as "refundId", sealed_secret as "sealedSecret", expires_at as "expiresAt"
    from refund_claims where id = any(${[...refundIds]}::uuid[])`
}

/** What is shown to the customer who has the secret, and what the destination is checked with. */
export type VisitedClaim = {
  readonly refund: Actor<Refund>
  readonly expiresAt: Date
  /** The merchant as its customers see it. */
  readonly shop: { readonly name: string; readonly logo: string | null; readonly accentColor: string | null }
  /** The decimals of the asset. */
  readonly decimals: number
  /** The deposit address of the payment, which is not a valid destination. */
  readonly paymentAddress: string | null
  /** Of the invoice that the payment has paid; null for one of a payment link. */
  readonly invoiceNumber: string | null
}

type VisitedRow = ActorRow & {
  readonly claim: {
    readonly expires_at: string
    readonly name: string
    readonly logo: string | null
    readonly accent_color: string | null
    readonly decimals: number
    readonly payment_address: string | null
    readonly invoice_number: string | null
  }
}

const readRefund = readerOf(refundKind)

export const findVisitedClaim = async (sql: Sql, secretHash: Buffer): Promise<VisitedClaim | undefined> => {
  const [row] = await sql<VisitedRow[]>`
    select r.*, jsonb_build_object(
      'expires_at', c.expires_at, 'name', s.name, 'logo', s.logo, 'accent_color', s.accent_color,
      'decimals', p.decimals, 'payment_address', p.address, 'invoice_number', i.number) as claim
    from refund_claims c
    join refunds r on r.id = c.id
    join payments p on p.id = r.payment_id
    left join invoices i on i.id = p.invoice_id
    join settings s on s.merchant_id = r.merchant_id and s.livemode = r.livemode
    where c.secret_hash = ${secretHash}`
  if (!row) return undefined
  const { expires_at, name, logo, accent_color, decimals, payment_address, invoice_number } = row.claim
  return {
    refund: readRefund(row),
    expiresAt: new Date(expires_at),
    shop: { name, logo, accentColor: accent_color },
    decimals,
    paymentAddress: payment_address,
    invoiceNumber: invoice_number,
  }
}

export type Proof = {
  readonly refundId: string
  readonly address: string
  readonly message: string
  readonly signature: string
  readonly provenAt: Date
}

/** The row that is committed with the destination that it proves. */
export const proofRow = ({ refundId, address, message, signature, provenAt }: Proof): Row => ({
  table: 'refund_destination_proofs',
  row: { refund_id: refundId, address, message, signature, proven_at: provenAt },
})
