import type { BillingSettings } from '../../api/calls.ts'

const needed = ['legalName', 'address'] as const

export type SellerField = (typeof needed)[number]

/** What live invoices must say about the seller, and the settings do not. */
export const missingSeller = (settings: BillingSettings): readonly SellerField[] =>
  needed.filter(field => settings[field] === null)
