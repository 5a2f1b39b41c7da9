import type { ComponentChildren } from 'preact'
import type { CheckedAddress } from '../../api/calls.ts'
import { ApiError } from '../../api/request.ts'
import { FullAddress } from '../../parts/address.tsx'
import { ErrorNote } from '../../parts/error-note.tsx'
import { FormField } from '../../parts/field.tsx'
import { useReader } from '../../parts/reader.ts'
import { StateMark, type StateShape } from '../../parts/state-mark.tsx'
import { networkNameOf } from '../shell/chains.ts'
import { shownFailure } from '../shell/failure.ts'
import { isAddressLike, useCheckedAddress, useTypedAddress } from './checked-address.ts'
import { useSettingsTexts } from './texts.ts'

type AddressFieldProps = {
  readonly label: string
  readonly hint?: string
  readonly value: string
  readonly onValue: (address: string) => void
  /** Whether the form was sent: then what is missing is wrong. */
  readonly isChecked: boolean
}

/** An address, with what its checksum and the networks say about it while it is typed. */
export const AddressField = ({ label, hint, value, onValue, isChecked }: AddressFieldProps) => {
  const texts = useSettingsTexts()
  const typed = useTypedAddress(value)
  const { data, error, refetch } = useCheckedAddress(typed)
  const isRefused = error instanceof ApiError && error.status === 400
  const isWrong = isRefused || (isChecked && !isAddressLike(value))
  return (
    <FormField label={label} hint={hint} error={isWrong ? texts.addressWrong : undefined}>
      {props => (
        <>
          <input
            {...props}
            class="input input--mono"
            autocomplete="off"
            spellcheck={false}
            maxLength={42}
            placeholder="0x"
            value={value}
            onInput={event => onValue(event.currentTarget.value)}
          />
          <div role="status">
            {typed !== undefined &&
              !error &&
              (data ? <Findings typed={typed} found={data} /> : <p class="quiet">{texts.checking}</p>)}
          </div>
          {error !== null && !isRefused && <ErrorNote failure={shownFailure(error)} onRetry={() => void refetch()} />}
        </>
      )}
    </FormField>
  )
}

type FindingsProps = { readonly typed: string; readonly found: CheckedAddress }

const Findings = ({ typed, found: { address, chains } }: FindingsProps) => {
  const texts = useSettingsTexts()
  const { locale } = useReader()
  const list = new Intl.ListFormat(locale, { type: 'conjunction' })
  const namesOf = (isContract: boolean | null) =>
    list.format(chains.filter(each => each.isContract === isContract).map(({ chainId }) => networkNameOf(chainId)))
  const [wallets, contracts, silent] = [namesOf(false), namesOf(true), namesOf(null)]
  return (
    <ul class="findings">
      <li>
        <FullAddress value={address} />
      </li>
      {typed === address ? (
        <Finding shape="done" tone="good">
          {texts.checksumGood}
        </Finding>
      ) : (
        <Finding shape="warn" tone="warn">
          {texts.checksumNone}
        </Finding>
      )}
      {wallets !== '' && (
        <Finding shape="done" tone="good">
          {texts.wallet(wallets)}
        </Finding>
      )}
      {contracts !== '' && (
        <Finding shape="warn" tone="warn">
          {texts.contract(contracts)}
        </Finding>
      )}
      {silent !== '' && <Finding shape="next">{texts.noAnswer(silent)}</Finding>}
    </ul>
  )
}

type FindingProps = {
  readonly shape: StateShape
  readonly tone?: 'good' | 'warn'
  readonly children: ComponentChildren
}

const Finding = ({ shape, tone, children }: FindingProps) => (
  <li>
    <span data-tone={tone}>
      <StateMark shape={shape} />
    </span>
    <span>{children}</span>
  </li>
)
