import { useShopQuery } from './queries.ts'
import { useCanWrite } from './shop.ts'
import { useTexts } from './texts.ts'

/** For viewers, in place of the actions: who can do what they cannot. */
export const OwnersNote = () => (useCanWrite() ? null : <Owners />)

const Owners = () => {
  const texts = useTexts()
  const { data } = useShopQuery(['members'], ({ merchantId, call }, signal) =>
    call('listMembers', { merchantId, limit: 100 }, { signal }),
  ).value
  if (!data) return null
  const owners = data.data.filter(({ role }) => role === 'owner').map(({ email }) => email)
  return <p class="owners">{texts.owners(owners.join(', '))}</p>
}
