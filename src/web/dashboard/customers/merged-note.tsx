import { NoteBox } from '../../parts/note.tsx'
import { useAddress } from '../shell/shop.ts'
import { nameOfCustomer } from './customer-name.ts'
import { useCustomersTexts } from './texts.ts'
import { useCustomer } from './use-customer.ts'

/** In place of what a customer has, once it was merged into another one: where that is now. */
export const MergedNote = ({ intoId }: { readonly intoId: string }) => {
  const texts = useCustomersTexts()
  const address = useAddress()
  const survivor = useCustomer(intoId).data
  return (
    <NoteBox
      title={survivor ? texts.mergedInto(nameOfCustomer(survivor)) : texts.mergedTitle}
      actions={
        <a class="button" href={address('customers', intoId)}>
          {texts.openSurvivor}
        </a>
      }
    >
      {texts.mergedWhat}
    </NoteBox>
  )
}
