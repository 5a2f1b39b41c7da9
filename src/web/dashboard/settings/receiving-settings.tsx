import { useState } from 'preact/hooks'
import type { Settings } from '../../api/calls.ts'
import { FullAddress, ShortHex } from '../../parts/address.tsx'
import { ErrorNote } from '../../parts/error-note.tsx'
import { Table, type TableColumn } from '../../parts/table.tsx'
import { useAction } from '../shell/action.ts'
import { chainsIn, networkNameOf } from '../shell/chains.ts'
import { Confirm } from '../shell/confirm.tsx'
import { shownFailure } from '../shell/failure.ts'
import { FormDialog } from '../shell/form-dialog.tsx'
import { Section } from '../shell/record.tsx'
import { useActionsColumn } from '../shell/row-actions.tsx'
import { useIsOwner, useShop } from '../shell/shop.ts'
import { Submit } from '../shell/submit.tsx'
import { AddressField } from './address-field.tsx'
import { isAddressLike } from './checked-address.ts'
import { RecoveryFile } from './recovery-file.tsx'
import { useSave } from './save.ts'
import { useSettingsTexts } from './texts.ts'

type ReceivingSettingsProps = { readonly settings: Settings }

/** Where collected money goes. Only owners change it. */
export const ReceivingSettings = ({ settings }: ReceivingSettingsProps) => {
  const texts = useSettingsTexts()
  const isOwner = useIsOwner()
  const { receivingAddress } = settings
  return (
    <div class="beside">
      <div>
        {isOwner ? (
          <AddressForm key={receivingAddress ?? ''} settings={settings} />
        ) : receivingAddress === null ? (
          <p>{texts.none}</p>
        ) : (
          <FullAddress value={receivingAddress} />
        )}
        <OtherAddresses settings={settings} />
      </div>
      {isOwner && <RecoveryFile />}
    </div>
  )
}

const AddressForm = ({ settings: { receivingAddress } }: ReceivingSettingsProps) => {
  const texts = useSettingsTexts()
  const { livemode } = useShop()
  const save = useSave()
  const action = useAction()
  const [address, setAddress] = useState(receivingAddress ?? '')
  const [isChecked, setChecked] = useState(false)
  const [isAsked, setAsked] = useState(false)
  const submit = async () => {
    setChecked(true)
    if (isAddressLike(address)) await action.run(() => save({ receivingAddress: address.trim() }))
  }
  return (
    <form
      class="form"
      noValidate
      onSubmit={event => {
        event.preventDefault()
        void submit()
      }}
    >
      <AddressField
        label={texts.address}
        hint={livemode ? texts.addressHintLive : texts.addressHintTest}
        value={address}
        onValue={setAddress}
        isChecked={isChecked}
      />
      {action.error !== undefined && <ErrorNote failure={shownFailure(action.error)} />}
      <div class="buttons">
        <Submit action={action}>{texts.saveAddress}</Submit>
        {receivingAddress !== null && (
          <button type="button" class="button button--danger" onClick={() => setAsked(true)}>
            {texts.removeAddress}
          </button>
        )}
      </div>
      <p class="quiet">{texts.stepUp}</p>
      <Confirm
        open={isAsked}
        title={texts.removeTitle}
        no={texts.cancel}
        yes={texts.removeAddress}
        danger
        onClose={() => setAsked(false)}
        onYes={() => save({ receivingAddress: null })}
      >
        {texts.removeWhat}
      </Confirm>
    </form>
  )
}

type Row = { readonly chainId: number; readonly network: string; readonly address: string | undefined }

/** Addresses of single networks, in place of the one for all. */
const OtherAddresses = ({ settings: { receivingAddress, receivingAddresses } }: ReceivingSettingsProps) => {
  const texts = useSettingsTexts()
  const isOwner = useIsOwner()
  const save = useSave()
  const [asked, setAsked] = useState<Row>()
  const [removed, setRemoved] = useState<Row>()
  const { livemode } = useShop()
  const ids = new Set([
    ...chainsIn(livemode).map(({ chainId }) => chainId),
    ...Object.keys(receivingAddresses).map(Number),
  ])
  const rows: readonly Row[] = [...ids].map(chainId => ({
    ...{ chainId, network: networkNameOf(chainId), address: receivingAddresses[chainId] },
  }))
  if (rows.length === 0) return null
  const actionsColumn = useActionsColumn()
  const columns: readonly TableColumn<Row>[] = [
    { key: 'network', head: texts.network, card: 1, cell: ({ network }) => network },
    {
      key: 'address',
      head: texts.address,
      card: 3,
      cell: ({ address }) =>
        address === undefined ? (
          <span class="quiet">{receivingAddress === null ? texts.none : texts.sameAddress}</span>
        ) : (
          <ShortHex value={address} what={texts.address} />
        ),
    },
    ...(isOwner
      ? [
          actionsColumn(2, (row: Row) =>
            row.address === undefined ? (
              <button
                type="button"
                class="button button--small"
                aria-label={texts.setOf(row.network)}
                onClick={() => setAsked(row)}
              >
                {texts.set}
              </button>
            ) : (
              <button
                type="button"
                class="button button--small"
                aria-label={texts.removeOf(row.network)}
                onClick={() => setRemoved(row)}
              >
                {texts.remove}
              </button>
            ),
          ),
        ]
      : []),
  ]
  return (
    <Section title={texts.others}>
      <Table label={texts.others} columns={columns} rows={rows} keyOf={({ chainId }) => String(chainId)} />
      <p class="pages">{texts.othersWhat}</p>
      {asked && <SetAddress row={asked} onClose={() => setAsked(undefined)} />}
      <Confirm
        open={removed !== undefined}
        title={texts.removeOfTitle(removed?.network ?? '')}
        no={texts.cancel}
        yes={texts.removeAddress}
        danger
        onClose={() => setRemoved(undefined)}
        onYes={async () => {
          if (removed) await save({ receivingAddresses: { [removed.chainId]: null } })
        }}
      >
        <p>{receivingAddress !== null ? texts.removeOfWhat : livemode ? texts.removeOfLast : texts.removeOfSandbox}</p>
        {receivingAddress !== null && <FullAddress value={receivingAddress} />}
      </Confirm>
    </Section>
  )
}

const SetAddress = ({ row, onClose }: { readonly row: Row; readonly onClose: () => void }) => {
  const texts = useSettingsTexts()
  const save = useSave()
  const action = useAction()
  const [address, setAddress] = useState('')
  const [isChecked, setChecked] = useState(false)
  const submit = async () => {
    setChecked(true)
    if (!isAddressLike(address)) return
    if (await action.run(() => save({ receivingAddresses: { [row.chainId]: address.trim() } }))) onClose()
  }
  return (
    <FormDialog
      open
      title={texts.setTitle(row.network)}
      no={texts.cancel}
      yes={texts.saveAddress}
      wide
      action={action}
      onSubmit={submit}
      onClose={onClose}
    >
      <AddressField label={texts.address} value={address} onValue={setAddress} isChecked={isChecked} />
      <p class="quiet">{texts.othersWhat}</p>
    </FormDialog>
  )
}
