import { useState } from 'preact/hooks'
import { CodeBlock } from '../../parts/code.tsx'
import { CopyButton } from '../../parts/copy.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { type Language, languages, snippets } from './snippets.ts'
import { useWebhooksTexts } from './texts.ts'

/** Code for the server that receives the events. */
export const VerifyCode = () => {
  const texts = useWebhooksTexts()
  const [language, setLanguage] = useState<Language>('Express')
  const text = snippets[language]
  return (
    <div class="command-line">
      <p class="quiet">{texts.codeWhat}</p>
      <Tabs
        label={texts.language}
        tabs={languages.map(each => ({ key: each, label: each }))}
        selected={language}
        onSelect={key => setLanguage(languages.find(each => each === key) ?? language)}
      >
        <CodeBlock text={text} label={texts.code} />
      </Tabs>
      <CopyButton value={text} what={texts.code}>
        {texts.copyCode}
      </CopyButton>
      {text.includes('verify-webhook.ts') && <p class="quiet">{texts.codeFile}</p>}
    </div>
  )
}
