import type { PaymentLink } from '../../machines/payment-link.ts'
import type { Actor } from '../actors/kind.ts'
import { encodeId } from '../ids.ts'

/** `publicUrl`: base URL for customers, without a slash at the end. */
export const paymentLinkRecord = (link: Actor<PaymentLink>, publicUrl: string) => {
  const { state, context, createdAt, updatedAt } = link
  const id = encodeId('plink', link.id)
  return {
    object: 'payment_link',
    id,
    merchantId: encodeId('mer', context.merchantId),
    url: `${publicUrl}/pay/${id}`,
    status: state,
    amountMinor: context.amountMinor,
    currency: context.currency,
    title: context.title,
    description: context.description,
    reference: context.reference,
    assets: context.assets?.map(({ chainId, asset }) => ({ chainId, asset })) ?? null,
    maxPayments: context.maxPayments,
    paymentsCount: context.paymentsCount,
    windowMinutes: context.windowMinutes,
    expiresAt: context.expiresAt?.toISOString() ?? null,
    successUrl: context.successUrl,
    metadata: context.metadata,
    livemode: context.livemode,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
    deactivatedAt: context.deactivatedAt?.toISOString() ?? null,
  }
}
