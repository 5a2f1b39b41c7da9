import { useState } from 'preact/hooks'
import type { MfaSetup } from '../../api/calls.ts'
import { Badge } from '../../parts/badge.tsx'
import { ErrorNote } from '../../parts/error-note.tsx'
import { showToast } from '../../parts/toast.tsx'
import { useAction } from '../shell/action.ts'
import { shownFailure } from '../shell/failure.ts'
import { Section } from '../shell/record.tsx'
import { useShop } from '../shell/shop.ts'
import { CodeDialog } from './code-dialog.tsx'
import { MfaSetupDialog } from './mfa-setup-dialog.tsx'
import { RecoveryCodesDialog } from './recovery-codes-dialog.tsx'
import { useAccountTexts } from './texts.ts'

type Asked = 'renew' | 'turn_off'

/** The second factor: set up, switched off, and its recovery codes replaced. */
export const SecondFactor = () => {
  const texts = useAccountTexts()
  const { session, account } = useShop()
  const action = useAction()
  const [setup, setSetup] = useState<MfaSetup>()
  const [asked, setAsked] = useState<Asked>()
  const [codes, setCodes] = useState<readonly string[]>()
  const { mfaEnabled } = account.user
  const begin = () => action.run(async () => setSetup(await session.call('setUpMfa', {})))
  const close = () => setAsked(undefined)
  return (
    <Section
      title={texts.mfa}
      aside={
        <Badge shape={mfaEnabled ? 'done' : 'warn'} tone={mfaEnabled ? 'good' : 'warn'}>
          {mfaEnabled ? texts.mfaOn : texts.mfaOff}
        </Badge>
      }
    >
      <div class="setting">
        <p>{mfaEnabled ? texts.mfaOnWhat : texts.mfaOffWhat}</p>
        <div class="buttons">
          {mfaEnabled ? (
            <>
              <button type="button" class="button" onClick={() => setAsked('renew')}>
                {texts.renew}
              </button>
              <button type="button" class="button button--danger" onClick={() => setAsked('turn_off')}>
                {texts.turnOff}
              </button>
            </>
          ) : (
            <button
              type="button"
              class="button button--primary"
              aria-disabled={action.isRunning}
              onClick={() => void begin()}
            >
              {texts.setUp}
            </button>
          )}
        </div>
        {action.error !== undefined && <ErrorNote failure={shownFailure(action.error)} />}
      </div>
      {setup && (
        <MfaSetupDialog
          setup={setup}
          onClose={() => setSetup(undefined)}
          onConfirmed={recoveryCodes => {
            setSetup(undefined)
            setCodes(recoveryCodes)
          }}
        />
      )}
      {asked === 'renew' && (
        <CodeDialog
          title={texts.renewTitle}
          lead={texts.renewWhat}
          yes={texts.renew}
          onClose={close}
          onCode={async code => {
            const { recoveryCodes } = await session.call('renewRecoveryCodes', { code })
            close()
            setCodes(recoveryCodes)
          }}
        />
      )}
      {asked === 'turn_off' && (
        <CodeDialog
          title={texts.turnOffTitle}
          lead={texts.turnOffWhat}
          yes={texts.turnOff}
          onClose={close}
          onCode={async code => {
            await session.call('disableMfa', { code })
            await session.reload()
            close()
            showToast(texts.turnedOff)
          }}
        />
      )}
      {codes && <RecoveryCodesDialog codes={codes} onClose={() => setCodes(undefined)} />}
    </Section>
  )
}
