import { useState } from 'preact/hooks'
import type { Settings } from '../../api/calls.ts'
import { ErrorNote } from '../../parts/error-note.tsx'
import { TextField } from '../../parts/field.tsx'
import { useAction } from '../shell/action.ts'
import { shownFailure } from '../shell/failure.ts'
import { Facts } from '../shell/record.tsx'
import { useCanWrite, useShop } from '../shell/shop.ts'
import { Submit } from '../shell/submit.tsx'
import { BrandPreview } from './brand-preview.tsx'
import { ColorField, isColor } from './color-field.tsx'
import { Logo } from './logo.tsx'
import { useSave } from './save.ts'
import { useSettingsTexts } from './texts.ts'

type ShopSettingsProps = { readonly settings: Settings }

/** What customers see of the shop: name, color, logo, and where they find help. */
export const ShopSettings = ({ settings }: ShopSettingsProps) => {
  const canWrite = useCanWrite()
  // The dashboard may be open at another address of this server than the public one.
  const { logoUrl } = settings.branding
  const logo = logoUrl === null ? null : new URL(logoUrl).pathname
  const [name, setName] = useState(settings.name)
  const [color, setColor] = useState(settings.branding.accentColor ?? '')
  return (
    <div class="beside">
      <div class="form form--wide">
        {canWrite ? (
          <ShopForm settings={settings} name={name} onName={setName} color={color} onColor={setColor} />
        ) : (
          <ShopFacts settings={settings} />
        )}
        <Logo url={logo} />
      </div>
      <BrandPreview
        name={name.trim() === '' ? settings.name : name}
        color={isColor(color) ? color : undefined}
        logoUrl={logo}
      />
    </div>
  )
}

type ShopFormProps = ShopSettingsProps & {
  readonly name: string
  readonly color: string
  readonly onName: (name: string) => void
  readonly onColor: (color: string) => void
}

const ShopForm = ({ settings: { branding }, name, color, onName, onColor }: ShopFormProps) => {
  const texts = useSettingsTexts()
  const { session } = useShop()
  const save = useSave()
  const action = useAction()
  const [supportEmail, setEmail] = useState(branding.supportEmail ?? '')
  const [supportUrl, setUrl] = useState(branding.supportUrl ?? '')
  const [isChecked, setChecked] = useState(false)
  const given = { name: name.trim(), color: color.trim(), email: supportEmail.trim(), url: supportUrl.trim() }
  const wrong = {
    name: given.name === '',
    color: given.color !== '' && !isColor(given.color),
    email: given.email !== '' && !/^[^\s@]+@[^\s@]+$/.test(given.email),
    url: given.url !== '' && !/^https?:\/\/[^\s/]+/.test(given.url),
  }
  const errorOf = (field: keyof typeof wrong, text: string) => (isChecked && wrong[field] ? text : undefined)
  const submit = async () => {
    setChecked(true)
    if (Object.values(wrong).includes(true)) return
    await action.run(async () => {
      await save({
        name: given.name,
        branding: {
          accentColor: given.color === '' ? null : given.color.toLowerCase(),
          supportEmail: given.email === '' ? null : given.email,
          supportUrl: given.url === '' ? null : given.url,
        },
      })
      // The name of the shop is part of the account.
      await session.reload()
    })
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
      <p class="quiet">{texts.bothModes}</p>
      <TextField
        label={texts.name}
        autocomplete="off"
        maxLength={200}
        hint={texts.nameHint}
        value={name}
        onInput={event => onName(event.currentTarget.value)}
        error={errorOf('name', texts.nameEmpty)}
      />
      <ColorField value={color} onValue={onColor} error={errorOf('color', texts.colorWrong)} />
      <TextField
        label={texts.supportEmail}
        optional
        type="email"
        autocomplete="off"
        maxLength={254}
        value={supportEmail}
        onInput={event => setEmail(event.currentTarget.value)}
        error={errorOf('email', texts.supportEmailWrong)}
      />
      <TextField
        label={texts.supportUrl}
        optional
        type="url"
        autocomplete="off"
        maxLength={2_048}
        hint={texts.supportHint}
        value={supportUrl}
        onInput={event => setUrl(event.currentTarget.value)}
        error={errorOf('url', texts.supportUrlWrong)}
      />
      {action.error !== undefined && <ErrorNote failure={shownFailure(action.error)} />}
      <div class="buttons">
        <Submit action={action}>{texts.save}</Submit>
      </div>
    </form>
  )
}

const ShopFacts = ({ settings: { name, branding } }: ShopSettingsProps) => {
  const texts = useSettingsTexts()
  return (
    <Facts
      facts={[
        [texts.name, name],
        [texts.color, branding.accentColor ?? texts.none],
        [texts.supportEmail, branding.supportEmail ?? texts.none],
        [texts.supportUrl, branding.supportUrl ?? texts.none],
      ]}
    />
  )
}
