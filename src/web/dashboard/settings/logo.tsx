import { useRef, useState } from 'preact/hooks'
import { ApiError } from '../../api/request.ts'
import { ErrorNote } from '../../parts/error-note.tsx'
import { Icon } from '../../parts/icon.tsx'
import { showToast } from '../../parts/toast.tsx'
import { useAction } from '../shell/action.ts'
import { shownFailure } from '../shell/failure.ts'
import { useRefresh } from '../shell/queries.ts'
import { Section } from '../shell/record.tsx'
import { useCanWrite, useScope, useShop } from '../shell/shop.ts'
import { useSettingsTexts } from './texts.ts'

/** As the server accepts them. */
const TYPES = ['image/png', 'image/jpeg', 'image/webp']
const MOST_BYTES = 256 * 1_024

/** The logo of the shop: uploaded, replaced, removed. */
export const Logo = ({ url }: { readonly url: string | null }) => {
  const texts = useSettingsTexts()
  const { session } = useShop()
  const scope = useScope()
  const canWrite = useCanWrite()
  const refresh = useRefresh()
  const action = useAction()
  const input = useRef<HTMLInputElement>(null)
  const [wrong, setWrong] = useState<string>()
  const isNoImage =
    action.error instanceof ApiError &&
    ['parameter_invalid', 'unsupported_media_type', 'body_too_large'].includes(action.error.code)
  const problem = wrong ?? (isNoImage ? texts.logoWrong : undefined)

  const upload = (file: File) => {
    action.reset()
    setWrong(file.size > MOST_BYTES ? texts.logoTooLarge : TYPES.includes(file.type) ? undefined : texts.logoWrong)
    if (file.size > MOST_BYTES || !TYPES.includes(file.type)) return
    void action.run(async () => {
      await session.call('uploadLogo', scope, { file })
      await refresh('settings')
      showToast(texts.logoSaved)
    })
  }
  const remove = () =>
    void action.run(async () => {
      await session.call('deleteLogo', { merchantId: scope.merchantId })
      await refresh('settings')
      showToast(texts.logoRemoved)
    })
  return (
    <Section title={texts.logo}>
      <div class="setting">
        {url === null ? <p class="quiet">{texts.logoNone}</p> : <img class="logo" src={url} alt={texts.logoAlt} />}
        {canWrite && (
          <>
            <div class="buttons">
              <button type="button" class="button" onClick={() => input.current?.click()}>
                {url === null ? texts.logoUpload : texts.logoReplace}
              </button>
              {url !== null && (
                <button type="button" class="button button--danger" onClick={remove}>
                  {texts.logoRemove}
                </button>
              )}
            </div>
            <input
              ref={input}
              type="file"
              hidden
              aria-label={texts.logoUpload}
              accept={TYPES.join(',')}
              onChange={event => {
                const { currentTarget } = event
                const [file] = currentTarget.files ?? []
                if (file) upload(file)
                // The same file can be chosen again.
                currentTarget.value = ''
              }}
            />
            <p class="quiet">{texts.logoHint}</p>
            {problem !== undefined && (
              <div class="field">
                <p class="error" role="alert">
                  <Icon name="alert" small />
                  {problem}
                </p>
              </div>
            )}
            {action.error !== undefined && !isNoImage && <ErrorNote failure={shownFailure(action.error)} />}
          </>
        )}
      </div>
    </Section>
  )
}
