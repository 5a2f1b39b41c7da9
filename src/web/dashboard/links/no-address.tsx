import type { PaymentLink, Settings } from '../../api/calls.ts'
import { NoteBox } from '../../parts/note.tsx'
import { chainsIn } from '../shell/chains.ts'
import { OwnersNote } from '../shell/owners-note.tsx'
import { useShopQuery } from '../shell/queries.ts'
import { useAddress, useCanWrite, useIsOwner, useShop } from '../shell/shop.ts'
import { useLinksTexts } from './texts.ts'

type Receiver = Pick<Settings, 'receivingAddress' | 'receivingAddresses' | 'livemode'>
type Accepted = Pick<PaymentLink, 'assets'>

/** The sandbox has an address of its own. Null assets: all that are offered. */
const canReceive = ({ receivingAddress, receivingAddresses, livemode }: Receiver, { assets }: Accepted): boolean =>
  chainsIn(livemode).some(
    ({ chainId, isSandbox }) =>
      (isSandbox || (receivingAddresses[chainId] ?? receivingAddress) !== null) &&
      (assets === null || assets.some(each => each.chainId === chainId)),
  )

/** Tells which links have no network with a receiving address: their pages refuse every customer. */
export const useLacksAddress = (): ((link: Accepted) => boolean) => {
  const { livemode } = useShop()
  const { data } = useShopQuery(['settings'], ({ call, ...scope }, signal) =>
    call('getSettings', scope, { signal }),
  ).value
  return link => data !== undefined && !canReceive({ ...data, livemode }, link)
}

/** Why these links cannot be paid, and where an owner changes it. */
export const NoAddressNote = ({ links }: { readonly links: readonly Accepted[] }) => {
  const texts = useLinksTexts()
  const address = useAddress()
  const lacksAddress = useLacksAddress()
  const { livemode } = useShop()
  const [canWrite, isOwner] = [useCanWrite(), useIsOwner()]
  const lacking = links.filter(lacksAddress).length
  if (lacking === 0) return null
  const hasNetworks = chainsIn(livemode).length > 0
  return (
    <>
      <NoteBox
        title={links.length > 1 ? texts.noAddressTitles(lacking) : texts.noAddressTitle}
        tone="warn"
        actions={
          hasNetworks &&
          isOwner && (
            <a class="button" href={`${address('settings')}?part=receiving`}>
              {texts.setAddress}
            </a>
          )
        }
      >
        {hasNetworks ? texts.noAddressWhat : texts.noNetworkWhat}
      </NoteBox>
      {canWrite && !isOwner && <OwnersNote of="owners" />}
    </>
  )
}
