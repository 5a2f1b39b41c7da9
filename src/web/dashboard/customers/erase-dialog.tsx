import { useEffect, useRef, useState } from 'preact/hooks'
import type { CustomerWithTotals } from '../../api/calls.ts'
import { ApiError } from '../../api/request.ts'
import { NoteBox } from '../../parts/note.tsx'
import { showToast } from '../../parts/toast.tsx'
import { Confirm } from '../shell/confirm.tsx'
import { useRefresh } from '../shell/queries.ts'
import { Facts } from '../shell/record.tsx'
import { useScope, useShop } from '../shell/shop.ts'
import { useCustomerName } from './customer-name.ts'
import { EraseBlockers, useEraseBlockers } from './erase-blockers.tsx'
import { useCustomersTexts } from './texts.ts'

type EraseDialogProps = { readonly customer: CustomerWithTotals; readonly onClose: () => void }

/** Erases the personal data of a customer, after saying what remains; or says what has to end before. */
export const EraseDialog = ({ customer, onClose }: EraseDialogProps) => {
  const { erase: texts, cancel } = useCustomersTexts()
  const { session } = useShop()
  const { merchantId } = useScope()
  const refresh = useRefresh()
  const nameOf = useCustomerName()
  /** What stood in the way of the last attempt, by ID. */
  const [refused, setRefused] = useState<readonly string[]>([])
  const blockers = useEraseBlockers(customer, refused)
  const first = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // The refusal of the server is at the top, whatever was scrolled to.
    if (refused.length > 0) first.current?.scrollIntoView({ block: 'nearest' })
  }, [refused])
  const { id } = customer
  return (
    <Confirm
      open
      title={texts.title(nameOf(customer))}
      no={cancel}
      yes={blockers?.length === 0 ? texts.submit : undefined}
      danger
      onClose={onClose}
      onYes={async () => {
        try {
          await session.call('eraseCustomer', { merchantId, id })
          showToast(texts.done)
        } catch (error) {
          setRefused(usesIn(error))
          throw error
        } finally {
          // Payments, disputes and events have changed, too.
          await refresh()
        }
      }}
    >
      <div ref={first}>{blockers && blockers.length > 0 && <EraseBlockers blockers={blockers} />}</div>
      {blockers?.length === 0 && (
        <>
          <NoteBox tone="warn" title={texts.forGood}>
            {texts.forGoodWhat}
          </NoteBox>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long dialog must be reachable to be scrolled */}
          <section aria-label={texts.erased} tabIndex={0}>
            <Facts
              facts={[
                [texts.erased, texts.erasedWhat],
                [texts.stays, texts.staysWhat],
                [texts.documents, texts.documentsWhat],
                [texts.copies, texts.copiesWhat],
              ]}
            />
          </section>
        </>
      )}
    </Confirm>
  )
}

const usesIn = (error: unknown): readonly string[] => {
  if (!(error instanceof ApiError) || error.code !== 'customer_in_use') return []
  const { records } = error.details
  return Array.isArray(records) ? records.filter(each => typeof each === 'string') : []
}
