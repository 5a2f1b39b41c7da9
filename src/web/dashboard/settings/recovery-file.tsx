import { useRef, useState } from 'preact/hooks'
import { ErrorNote } from '../../parts/error-note.tsx'
import { Icon } from '../../parts/icon.tsx'
import { NoteBox } from '../../parts/note.tsx'
import { showToast } from '../../parts/toast.tsx'
import { useAction } from '../shell/action.ts'
import { saveFile } from '../shell/download.ts'
import { shownFailure } from '../shell/failure.ts'
import { Section } from '../shell/record.tsx'
import { useScope, useShop } from '../shell/shop.ts'
import { type FileTest, testRecoveryFile } from './test-recovery-file.ts'
import { useSettingsTexts } from './texts.ts'

/** The file with which an owner reaches all money without the server: downloaded, and tested against the server. */
export const RecoveryFile = () => {
  const texts = useSettingsTexts()
  const { session } = useShop()
  const { merchantId } = useScope()
  const action = useAction()
  const input = useRef<HTMLInputElement>(null)
  const [tested, setTested] = useState<FileTest>()
  const download = () =>
    void action.run(async () => {
      const file = await session.call('getRecoveryFile', { merchantId })
      saveFile(`paymachine-recovery-${merchantId}.json`, 'application/json', `${JSON.stringify(file, null, 2)}\n`)
      showToast(texts.downloaded)
    })
  const test = (file: File) =>
    void action.run(async () => {
      setTested(undefined)
      const text = await file.text()
      setTested(testRecoveryFile(text, await session.call('getRecoveryFile', { merchantId })))
    })
  return (
    <Section title={texts.recovery}>
      <div class="setting">
        <p>{texts.recoveryWhat}</p>
        <div class="buttons">
          <button type="button" class="button" aria-disabled={action.isRunning} onClick={download}>
            <Icon name="download" />
            {texts.download}
          </button>
          <button type="button" class="button" onClick={() => input.current?.click()}>
            {texts.test}
          </button>
        </div>
        <input
          ref={input}
          type="file"
          hidden
          aria-label={texts.test}
          accept=".json,application/json"
          onChange={event => {
            const { currentTarget } = event
            const [file] = currentTarget.files ?? []
            if (file) test(file)
            currentTarget.value = ''
          }}
        />
        {tested && <TestResult tested={tested} />}
        {action.error !== undefined && <ErrorNote failure={shownFailure(action.error)} />}
      </div>
    </Section>
  )
}

const TestResult = ({ tested }: { readonly tested: FileTest }) => {
  const texts = useSettingsTexts()
  if (tested.outcome === 'complete')
    return (
      <NoteBox tone="good" alert title={texts.testGood}>
        {texts.testGoodWhat(tested.addresses)}
      </NoteBox>
    )
  const reasons = { not_a_file: texts.testNotAFile, other_secret: texts.testOther, old: texts.testOld }
  return (
    <NoteBox tone="bad" alert title={texts.testBad}>
      {reasons[tested.outcome]}
    </NoteBox>
  )
}
