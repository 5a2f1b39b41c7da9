import type { ComponentChildren } from 'preact'
import { CopyButton } from '../../parts/copy.tsx'
import { Icon } from '../../parts/icon.tsx'
import { useLinksTexts } from './texts.ts'

type ShareAddressProps = {
  readonly url: string
  /** Of the button that opens it. */
  readonly open: string
  readonly children?: ComponentChildren
}

/** The address of a public page, to copy and to open. */
export const ShareAddress = ({ url, open, children }: ShareAddressProps) => {
  const texts = useLinksTexts()
  return (
    <div class="share">
      <code data-value={url}>{url}</code>
      <span class="buttons">
        <CopyButton value={url} what={texts.address}>
          {texts.copyAddress}
        </CopyButton>
        <a class="button" href={url} target="_blank" rel="noreferrer">
          <Icon name="open" small />
          {open}
        </a>
      </span>
      {children}
    </div>
  )
}
