import type { ComponentType } from 'preact'
import { useState } from 'preact/hooks'
import { Icon } from '../../parts/icon.tsx'
import { showToast } from '../../parts/toast.tsx'
import { useCanWrite } from '../shell/shop.ts'
import { useTexts } from '../shell/texts.ts'
import type { ExportedList } from './exported-list.ts'

type ButtonProps = {
  /** What the page shows first. */
  readonly lists: readonly [ExportedList, ...ExportedList[]]
}

type DialogProps = ButtonProps & { readonly onClose: () => void }

/** Opens the dialog that exports a list, which is loaded then. Viewers have none. */
export const ExportButton = ({ lists }: ButtonProps) => {
  const { list, find } = useTexts()
  const [Open, setOpen] = useState<ComponentType<DialogProps>>()
  const canWrite = useCanWrite()
  const open = async () => {
    try {
      const { ExportDialog } = await import('./export-dialog.tsx')
      setOpen(() => ExportDialog)
    } catch {
      showToast(find.failed)
    }
  }
  if (!canWrite) return null
  return (
    <>
      <button type="button" class="button" onClick={open}>
        <Icon name="download" />
        {list.export}
      </button>
      {Open && <Open lists={lists} onClose={() => setOpen(undefined)} />}
    </>
  )
}
