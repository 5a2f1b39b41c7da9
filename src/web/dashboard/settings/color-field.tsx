import { brandColors, leastContrast } from '../../parts/brand-colors.ts'
import { FormField } from '../../parts/field.tsx'
import { useReader } from '../../parts/reader.ts'
import { useSettingsTexts } from './texts.ts'

export const isColor = (text: string): boolean => /^#[0-9a-f]{6}$/i.test(text.trim())

type ColorFieldProps = {
  readonly value: string
  readonly onValue: (color: string) => void
  readonly error: string | undefined
}

/** The color of the shop, with what the payment page makes of it. */
export const ColorField = ({ value, onValue, error }: ColorFieldProps) => {
  const texts = useSettingsTexts()
  const color = isColor(value) ? value.trim().toLowerCase() : undefined
  return (
    <FormField label={texts.color} optional hint={texts.colorHint} error={error}>
      {props => (
        <>
          <span class="color-field">
            <input
              type="color"
              aria-label={texts.pickColor}
              value={color ?? '#0b5a70'}
              onInput={event => onValue(event.currentTarget.value)}
            />
            <input
              {...props}
              class="input input--mono"
              autocomplete="off"
              spellcheck={false}
              maxLength={7}
              value={value}
              onInput={event => onValue(event.currentTarget.value)}
            />
          </span>
          {color && <Contrast color={color} />}
        </>
      )}
    </FormField>
  )
}

const Contrast = ({ color }: { readonly color: string }) => {
  const texts = useSettingsTexts()
  const { locale } = useReader()
  const { light } = brandColors(color)
  const ratio = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 }).format(leastContrast(color))
  return <p role="status">{light === color ? texts.contrastGood(ratio) : texts.contrastMoved(ratio, light)}</p>
}
