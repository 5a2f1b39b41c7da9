import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Tabs } from '../../parts/tabs.tsx'
import { useInvoiceEditorTexts } from './editor-texts.ts'

type EditorPanelsProps = { readonly children: ComponentChildren; readonly preview: ComponentChildren }

/** Where both have room beside each other. */
const WIDE = '(width >= 1100px)'

/** The form and the document: beside each other, or behind tabs in a narrow window. */
export const EditorPanels = ({ children, preview }: EditorPanelsProps) => {
  const texts = useInvoiceEditorTexts()
  const isWide = useMedia(WIDE)
  const [tab, setTab] = useState('edit')
  return (
    <Tabs
      label={texts.tabs}
      tabs={[
        { key: 'edit', label: texts.tabEdit },
        { key: 'preview', label: texts.tabPreview },
      ]}
      selected={tab}
      onSelect={setTab}
      flat={isWide}
    >
      <div class="editor">
        <div hidden={!isWide && tab !== 'edit'}>{children}</div>
        <div hidden={!isWide && tab !== 'preview'}>{preview}</div>
      </div>
    </Tabs>
  )
}

const useMedia = (query: string): boolean => {
  const [list] = useState(() => matchMedia(query))
  const [matches, setMatches] = useState(list.matches)
  useEffect(() => {
    const change = () => setMatches(list.matches)
    list.addEventListener('change', change)
    return () => list.removeEventListener('change', change)
  }, [list])
  return matches
}
