import { useEffect, useState } from 'preact/hooks'
import type {
  CreditNoteWithLines,
  CustomerWithTotals,
  Dispute,
  InvoiceWithLines,
  PaymentLink,
  PaymentWithCrypto,
  Plan,
  RefundWithAttention,
  SubscriptionWithLines,
} from '../../api/calls.ts'
import { ApiError } from '../../api/request.ts'
import { useScope, useShop } from '../shell/shop.ts'

export type FoundRecord =
  | PaymentWithCrypto
  | PaymentLink
  | RefundWithAttention
  | Dispute
  | CustomerWithTotals
  | InvoiceWithLines
  | CreditNoteWithLines
  | Plan
  | SubscriptionWithLines

export type FoundRecords = {
  /** What was searched for. */
  readonly text: string
  readonly records: readonly FoundRecord[]
  readonly phase: 'searching' | 'found' | 'failed'
}

const TYPING_MS = 200
/** Shorter texts are no prefix of an e-mail address that the API searches for. */
const MIN_LENGTH = 3

/** The records of this shop and mode that the text names: by ID, reference, hash, address or the beginning of a name or an e-mail. */
export const useFinding = (text: string): FoundRecords | undefined => {
  const { session } = useShop()
  const scope = useScope()
  const [finding, setFinding] = useState<FoundRecords>()
  useEffect(() => {
    if (text.length < MIN_LENGTH) return setFinding(undefined)
    setFinding({ text, records: [], phase: 'searching' })
    const stopped = new AbortController()
    const { signal } = stopped
    /** Their search has no IDs and no references. */
    const findCustomers = async () => {
      const { merchantId } = scope
      if (text.startsWith('cus_'))
        return {
          data: await session
            .call('getCustomer', { merchantId, id: text }, { signal })
            .then(one => [one], noneIfMissing<CustomerWithTotals>),
        }
      const [named, referenced] = await Promise.all([
        session.call('listCustomers', { ...scope, q: text, limit: 4 }, { signal }),
        session.call('listCustomers', { ...scope, reference: text, limit: 1 }, { signal }),
      ])
      const isNamed = ({ id }: CustomerWithTotals) => named.data.some(each => each.id === id)
      return { data: [...referenced.data.filter(each => !isNamed(each)), ...named.data] }
    }
    /** By ID, the whole number or the whole reference. */
    const findInvoices = async () => {
      if (text.startsWith('inv_'))
        return {
          data: await session
            .call('getInvoice', { merchantId: scope.merchantId, id: text }, { signal })
            .then(one => [one], noneIfMissing<InvoiceWithLines>),
        }
      const [numbered, referenced] = await Promise.all([
        session.call('listInvoices', { ...scope, number: text, limit: 1 }, { signal }),
        session.call('listInvoices', { ...scope, reference: text, limit: 4 }, { signal }),
      ])
      const isNumbered = ({ id }: InvoiceWithLines) => numbered.data.some(each => each.id === id)
      return { data: [...numbered.data, ...referenced.data.filter(each => !isNumbered(each))] }
    }
    const findCreditNotes = async () => ({
      data: text.startsWith('cn_')
        ? await session
            .call('getCreditNote', { merchantId: scope.merchantId, id: text }, { signal })
            .then(one => [one], noneIfMissing<CreditNoteWithLines>)
        : [],
    })
    /** By ID or the whole reference. */
    const findPlans = async () =>
      text.startsWith('plan_')
        ? {
            data: await session
              .call('getPlan', { merchantId: scope.merchantId, id: text }, { signal })
              .then(one => [one], noneIfMissing<Plan>),
          }
        : session.call('listPlans', { ...scope, reference: text, limit: 1 }, { signal })
    const findSubscriptions = async () => ({
      data: text.startsWith('sub_')
        ? await session
            .call('getSubscription', { merchantId: scope.merchantId, id: text }, { signal })
            .then(one => [one], noneIfMissing<SubscriptionWithLines>)
        : [],
    })
    const search = async () => {
      const input = { ...scope, q: text, limit: 4 }
      const lists = await Promise.all([
        session.call('listPayments', input, { signal }),
        session.call('listPaymentLinks', input, { signal }),
        session.call('listRefunds', input, { signal }),
        session.call('listDisputes', input, { signal }),
        findCustomers(),
        findInvoices(),
        findCreditNotes(),
        findPlans(),
        findSubscriptions(),
      ])
      setFinding({ text, records: lists.flatMap(({ data }): readonly FoundRecord[] => data), phase: 'found' })
    }
    const timer = setTimeout(() => {
      search().catch(() => {
        if (!signal.aborted) setFinding({ text, records: [], phase: 'failed' })
      })
    }, TYPING_MS)
    return () => {
      clearTimeout(timer)
      stopped.abort()
    }
  }, [text, scope.merchantId, scope.livemode])
  return finding
}

const noneIfMissing = <Found>(error: unknown): readonly Found[] => {
  if (error instanceof ApiError && error.code === 'resource_not_found') return []
  throw error
}
