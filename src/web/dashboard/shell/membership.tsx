import { type Signal, useSignal } from '@preact/signals'
import { useContext, useEffect, useRef } from 'preact/hooks'
import type { Account } from '../../api/calls.ts'
import { CacheContext } from '../../api/query.ts'
import { NoteBox } from '../../parts/note.tsx'
import type { Merchant } from './shop.ts'
import { useTexts } from './texts.ts'

/** The role of the account in a shop has changed while the dashboard was open. Without a role, it has ended. */
type MembershipChange = { readonly shop: string; readonly role: Merchant['role'] | undefined }

/** The last change of a membership, until its reader dismisses it. */
export const useMembershipChange = (account: Account): Signal<MembershipChange | undefined> => {
  const cache = useContext(CacheContext)
  const known = useRef(account)
  const change = useSignal<MembershipChange>()
  useEffect(() => {
    const before = known.current
    known.current = account
    if (before.user.id !== account.user.id) {
      change.value = undefined
      return
    }
    for (const { id, name, role } of before.merchants) {
      const now = account.merchants.find(each => each.id === id)?.role
      if (now === role) continue
      change.value = { shop: name, role: now }
      // Another role sees other records, and other parts of them.
      void cache.invalidateQueries({ queryKey: [id] })
    }
  }, [account])
  return change
}

export const MembershipNote = ({ change }: { readonly change: Signal<MembershipChange | undefined> }) => {
  const { membership: texts, roles } = useTexts()
  if (!change.value) return null
  const { shop, role } = change.value
  return (
    <div class="notice">
      <NoteBox
        tone="warn"
        alert
        title={role === undefined ? texts.ended(shop) : texts.changed(shop, roles[role])}
        actions={
          <button
            type="button"
            class="button button--small"
            onClick={() => {
              change.value = undefined
            }}
          >
            {texts.dismiss}
          </button>
        }
      >
        {role === undefined ? texts.endedWhat : texts.changedWhat}
      </NoteBox>
    </div>
  )
}
