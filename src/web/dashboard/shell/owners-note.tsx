import { useShopQuery } from './queries.ts'
import { useCanWrite, useIsOwner } from './shop.ts'
import { useTexts } from './texts.ts'

type OwnersNoteProps = {
  /** Who can make changes: owners and developers, or owners only. `readers`: the page is for owners only. */
  readonly of?: 'writers' | 'owners' | 'readers'
}

/** For members who cannot make the changes, in place of the actions: who can. */
export const OwnersNote = ({ of = 'writers' }: OwnersNoteProps) => {
  const texts = useTexts()
  const isOwner = useIsOwner()
  const can = useCanWrite() && (of === 'writers' || isOwner)
  return can ? null : <Owners text={texts[sentences[of]]} />
}

const sentences = { writers: 'owners', owners: 'onlyOwners', readers: 'onlyOwnersRead' } as const

const Owners = ({ text }: { readonly text: (names: string) => string }) => {
  const { data } = useShopQuery(['members'], ({ merchantId, call }, signal) =>
    call('listMembers', { merchantId, limit: 100 }, { signal }),
  ).value
  if (!data) return null
  const owners = data.data.filter(({ role }) => role === 'owner').map(({ email }) => email)
  return <p class="owners">{text(owners.join(', '))}</p>
}
