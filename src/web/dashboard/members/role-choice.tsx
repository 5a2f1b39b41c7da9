import { useId } from 'preact/hooks'
import type { Merchant } from '../shell/shop.ts'
import { useTexts } from '../shell/texts.ts'
import { useMembersTexts } from './texts.ts'

export type MemberRole = Merchant['role']

const roles: readonly MemberRole[] = ['viewer', 'developer', 'owner']

type RoleChoiceProps = { readonly role: MemberRole; readonly onRole: (role: MemberRole) => void }

/** The roles, with what each of them may do. */
export const RoleChoice = ({ role, onRole }: RoleChoiceProps) => {
  const texts = useMembersTexts()
  const { roles: names } = useTexts()
  const name = useId()
  return (
    <fieldset>
      <legend class="legend">{texts.role}</legend>
      {roles.map(each => (
        <label key={each} class="check">
          <input type="radio" name={name} checked={each === role} onInput={() => onRole(each)} />
          <span>
            {names[each]}
            <span>{texts.rolesWhat[each]}</span>
          </span>
        </label>
      ))}
    </fieldset>
  )
}
