import { useState } from 'preact/hooks'
import type { CustomerWithTotals } from '../../api/calls.ts'
import { ApiError } from '../../api/request.ts'
import { NoteBox } from '../../parts/note.tsx'
import { showToast } from '../../parts/toast.tsx'
import { Confirm } from '../shell/confirm.tsx'
import { useRefresh } from '../shell/queries.ts'
import { Facts } from '../shell/record.tsx'
import { useAddress, useScope, useShop } from '../shell/shop.ts'
import { nameOfCustomer } from './customer-name.ts'
import { useCustomersTexts } from './texts.ts'

type EraseDialogProps = { readonly customer: CustomerWithTotals; readonly onClose: () => void }

/** Erases the personal data of a customer, after saying what remains. */
export const EraseDialog = ({ customer, onClose }: EraseDialogProps) => {
  const { erase: texts, cancel } = useCustomersTexts()
  const { session } = useShop()
  const { merchantId } = useScope()
  const refresh = useRefresh()
  /** What stood in the way of the last attempt. */
  const [uses, setUses] = useState<readonly string[]>([])
  const { id } = customer
  return (
    <Confirm
      open
      title={texts.title(nameOfCustomer(customer))}
      no={cancel}
      yes={texts.submit}
      danger
      onClose={onClose}
      onYes={async () => {
        setUses([])
        try {
          await session.call('eraseCustomer', { merchantId, id })
          showToast(texts.done)
        } catch (error) {
          setUses(usesIn(error))
          throw error
        } finally {
          // Payments, disputes and events have changed, too.
          await refresh()
        }
      }}
    >
      <NoteBox tone="warn" title={texts.forGood}>
        {texts.forGoodWhat}
      </NoteBox>
      <Facts
        facts={[
          [texts.erased, texts.erasedWhat],
          [texts.stays, texts.staysWhat],
          [texts.copies, texts.copiesWhat],
        ]}
      />
      {uses.length > 0 && <Uses ids={uses} customerId={id} />}
    </Confirm>
  )
}

const usesIn = (error: unknown): readonly string[] => {
  if (!(error instanceof ApiError) || error.code !== 'customer_in_use') return []
  const { records } = error.details
  return Array.isArray(records) ? records.filter(each => typeof each === 'string') : []
}

const sections: Readonly<Record<string, 'payments' | 'refunds'>> = { pay: 'payments', re: 'refunds' }

/** The records that have not ended, with ways to them. */
const Uses = ({ ids, customerId }: { readonly ids: readonly string[]; readonly customerId: string }) => {
  const { erase: texts } = useCustomersTexts()
  const address = useAddress()
  return (
    <>
      <p>{texts.uses}</p>
      <ul>
        {ids.map(each => {
          const section = sections[each.split('_')[0] ?? '']
          if (each === customerId) return <li key={each}>{texts.creditUse}</li>
          return (
            <li key={each}>
              <p>{section ? <a href={address(section, each)}>{texts.use[section](each)}</a> : <code>{each}</code>}</p>
            </li>
          )
        })}
      </ul>
    </>
  )
}
