import type { ComponentType } from 'preact'
import { useState } from 'preact/hooks'
import { Icon } from '../parts/icon.tsx'
import { useShortcut } from '../parts/shortcut.ts'
import { showToast } from '../parts/toast.tsx'
import type { Preferences } from './shell/preferences.ts'
import { useTexts } from './shell/texts.ts'

type Overlay = ComponentType<{ readonly preferences: Preferences; readonly onClose: () => void }>

/** Loaded when they are opened. */
const overlays = {
  palette: async (): Promise<Overlay> => (await import('./find/palette.tsx')).Palette,
  keys: async (): Promise<Overlay> => (await import('./find/keys-help.tsx')).KeysHelp,
}

type Name = keyof typeof overlays

/** The search over all records, and the list of shortcuts: what is open, and how to open one. */
export const useFinder = (preferences: Preferences) => {
  const { find } = useTexts()
  const [Open, setOpen] = useState<Overlay>()
  const open = async (name: Name) => {
    try {
      const overlay = await overlays[name]()
      setOpen(() => overlay)
    } catch {
      // There is no place for it: nothing has opened.
      showToast(find.failed)
    }
  }
  useShortcut('Ctrl K', () => open('palette'))
  useShortcut('?', () => open('keys'))
  return { open, overlay: Open && <Open preferences={preferences} onClose={() => setOpen(undefined)} /> }
}

export const FinderButtons = ({ onOpen }: { readonly onOpen: (name: Name) => void }) => {
  const { find } = useTexts()
  return (
    <>
      <button
        type="button"
        class="finder"
        aria-label={find.label}
        aria-keyshortcuts="Control+K"
        onClick={() => onOpen('palette')}
      >
        <Icon name="search" />
        <span class="clip">{find.label}</span>
        <span class="key" data-key="Ctrl K" />
      </button>
      <button
        type="button"
        class="finder-keys"
        aria-label={find.keys}
        aria-keyshortcuts="?"
        onClick={() => onOpen('keys')}
      >
        <span class="key" data-key="?" />
      </button>
    </>
  )
}
