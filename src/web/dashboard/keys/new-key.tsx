import { useState } from 'preact/hooks'
import { TextField } from '../../parts/field.tsx'
import { useAction } from '../shell/action.ts'
import { FormDialog } from '../shell/form-dialog.tsx'
import { useRefresh } from '../shell/queries.ts'
import { useScope, useShop } from '../shell/shop.ts'
import { useKeysTexts } from './texts.ts'

const presets = ['full', 'store_plugin', 'read_only'] as const

type NewKeyProps = { readonly open: boolean; readonly onClose: () => void; readonly onMade: (secret: string) => void }

/** Asks for a name and an access, and creates the key. */
export const NewKey = ({ open, onClose, onMade }: NewKeyProps) => {
  const texts = useKeysTexts()
  const { session } = useShop()
  const scope = useScope()
  const refresh = useRefresh()
  const action = useAction()
  const [name, setName] = useState('')
  const [access, setAccess] = useState<(typeof presets)[number]>('store_plugin')
  const [isChecked, setChecked] = useState(false)
  const close = () => {
    setName('')
    setChecked(false)
    action.reset()
    onClose()
  }
  const submit = async () => {
    setChecked(true)
    if (name.trim() === '') return
    await action.run(async () => {
      const { secret } = await session.call('createApiKey', { ...scope, name: name.trim(), access })
      await refresh('keys')
      close()
      onMade(secret)
    })
  }
  return (
    <FormDialog
      open={open}
      title={texts.create}
      no={texts.cancel}
      yes={texts.create}
      action={action}
      onSubmit={submit}
      onClose={close}
    >
      <TextField
        label={texts.name}
        autocomplete="off"
        maxLength={200}
        hint={texts.nameHint}
        value={name}
        onInput={event => setName(event.currentTarget.value)}
        error={isChecked && name.trim() === '' ? texts.nameEmpty : undefined}
      />
      <fieldset>
        <legend class="legend">{texts.access}</legend>
        {presets.map(each => (
          <label key={each} class="check">
            <input type="radio" name="access" checked={each === access} onInput={() => setAccess(each)} />
            <span>
              {texts.presets[each]}
              <span>{texts.presetsWhat[each]}</span>
            </span>
          </label>
        ))}
      </fieldset>
    </FormDialog>
  )
}
