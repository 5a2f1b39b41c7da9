import type { QueryObserverResult } from '@tanstack/query-core'
import { useEffect, useState } from 'preact/hooks'
import type { CheckedAddress } from '../../api/calls.ts'
import { useQuery } from '../../api/query.ts'
import { useCanWrite, useScope, useShop } from '../shell/shop.ts'

/** What the server finds about an address: its checksum, and on which networks it is a contract. */
export const useCheckedAddress = (address: string | undefined): QueryObserverResult<CheckedAddress> => {
  const { session } = useShop()
  const scope = useScope()
  const canWrite = useCanWrite()
  return useQuery<CheckedAddress>({
    queryKey: [scope.merchantId, scope.livemode, 'address', address],
    queryFn: ({ signal }) => session.call('checkAddress', { ...scope, address: address ?? '' }, { signal }),
    enabled: canWrite && address !== undefined,
  }).value
}

/** An address by its form. The server checks the checksum. */
export const isAddressLike = (text: string): boolean => /^0x[0-9a-fA-F]{40}$/.test(text.trim())

const TYPING_MS = 300

/** The address of a field, when typing has paused and it is complete. */
export const useTypedAddress = (text: string): string | undefined => {
  const [typed, setTyped] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setTyped(text), TYPING_MS)
    return () => clearTimeout(timer)
  }, [text])
  return isAddressLike(typed) ? typed.trim() : undefined
}
