import { brandColors, onAccent } from '../../parts/brand-colors.ts'
import { useReader } from '../../parts/reader.ts'
import { useSettingsTexts } from './texts.ts'

type BrandPreviewProps = {
  readonly name: string
  readonly color: string | undefined
  readonly logoUrl: string | null
}

/** The head of the payment page in both themes, before anything is saved. */
export const BrandPreview = ({ name, color, logoUrl }: BrandPreviewProps) => {
  const texts = useSettingsTexts()
  const { formats } = useReader()
  const colors = color === undefined ? undefined : brandColors(color.trim().toLowerCase())
  return (
    <figure class="preview">
      <figcaption>{texts.preview}</figcaption>
      {(['light', 'dark'] as const).map(theme => (
        <div
          key={theme}
          class="preview__sheet"
          style={{
            colorScheme: theme,
            ...(colors && { '--accent': colors[theme], '--on-accent': onAccent[theme] }),
          }}
        >
          <span class="sr">{texts.previewIn[theme]}</span>
          {logoUrl !== null && <img class="logo" src={logoUrl} alt="" />}
          <b>{name}</b>
          <span class="amount">{formats.money(4_900, 'EUR')}</span>
          <span class="button button--primary button--wide" aria-hidden="true">
            {texts.previewPay}
          </span>
        </div>
      ))}
    </figure>
  )
}
