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

/** Only what was edited in the form. All else is shown as the settings are now, and is not saved. */
type Edits = {
  readonly name?: string
  readonly color?: string
  readonly supportEmail?: string
  readonly supportUrl?: string
}

/** What customers see of the shop: name, color, logo, and where they find help. */
export const ShopSettings = ({ settings }: ShopSettingsProps) => {
  const canWrite = useCanWrite()
  // The dashboard may be open at another address of this server than the public one.
  const { logoUrl } = settings.branding
  const logo = logoUrl === null ? null : new URL(logoUrl).pathname
  const [edits, setEdits] = useState<Edits>({})
  const { name = settings.name, color = settings.branding.accentColor ?? '' } = edits
  return (
    <div class="beside">
      <div class="form form--wide">
        {canWrite ? (
          <ShopForm settings={settings} edits={edits} onEdits={setEdits} />
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
  readonly edits: Edits
  readonly onEdits: (next: Edits | ((now: Edits) => Edits)) => void
}

const ShopForm = ({ settings, edits, onEdits }: ShopFormProps) => {
  const { branding } = settings
  const { name = settings.name, color = branding.accentColor ?? '' } = edits
  const { supportEmail = branding.supportEmail ?? '', supportUrl = branding.supportUrl ?? '' } = edits
  const edit = (more: Edits) => onEdits({ ...edits, ...more })
  const texts = useSettingsTexts()
  const { session } = useShop()
  const save = useSave()
  const action = useAction()
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
      const orNull = (text: string) => (text === '' ? null : text)
      const accentColor = orNull(given.color.toLowerCase())
      const [email, url] = [orNull(given.email), orNull(given.url)]
      // Only what has changed: another member may have changed the rest.
      await save({
        ...(given.name !== settings.name && { name: given.name }),
        branding: {
          ...(accentColor !== branding.accentColor && { accentColor }),
          ...(email !== branding.supportEmail && { supportEmail: email }),
          ...(url !== branding.supportUrl && { supportUrl: url }),
        },
      })
      // What was typed meanwhile stays.
      onEdits(now => (now === edits ? {} : now))
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
        onInput={event => edit({ name: event.currentTarget.value })}
        error={errorOf('name', texts.nameEmpty)}
      />
      <ColorField value={color} onValue={value => edit({ color: value })} error={errorOf('color', texts.colorWrong)} />
      <TextField
        label={texts.supportEmail}
        optional
        type="email"
        autocomplete="off"
        maxLength={254}
        value={supportEmail}
        onInput={event => edit({ supportEmail: event.currentTarget.value })}
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
        onInput={event => edit({ supportUrl: event.currentTarget.value })}
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
