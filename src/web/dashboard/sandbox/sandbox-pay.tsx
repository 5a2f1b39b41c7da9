import { useState } from 'preact/hooks'
import type { Calls, PaymentWithCrypto } from '../../api/calls.ts'
import { ShortHex } from '../../parts/address.tsx'
import { ErrorNote } from '../../parts/error-note.tsx'
import { FormField } from '../../parts/field.tsx'
import { useReader } from '../../parts/reader.ts'
import { useAction } from '../shell/action.ts'
import { findChain } from '../shell/chains.ts'
import { shownFailure } from '../shell/failure.ts'
import { useRefresh } from '../shell/queries.ts'
import { Section } from '../shell/record.tsx'
import { useCanWrite, useScope, useShop } from '../shell/shop.ts'
import { Submit } from '../shell/submit.tsx'
import { useSandboxTexts } from './texts.ts'

type Scenario = Calls['simulatePayment']['input']['scenario']

/** In test mode: pays a payment from the sandbox wallet, in any way that can happen on a chain. */
export const SandboxPay = ({ payment }: { readonly payment: PaymentWithCrypto }) => {
  const texts = useSandboxTexts()
  const { formats } = useReader()
  const { session } = useShop()
  const { merchantId } = useScope()
  const canWrite = useCanWrite()
  const refresh = useRefresh()
  const action = useAction()
  const [chosen, setChosen] = useState<Scenario>()
  const [transactions, setTransactions] = useState<readonly string[]>()
  const possible = scenariosFor(payment)
  const scenario = possible.find(each => each === chosen) ?? possible[0]
  if (payment.livemode || !canWrite || (scenario === undefined && transactions === undefined)) return null
  const run = () =>
    void action.run(async () => {
      if (scenario === undefined) return
      setTransactions(undefined)
      const sent = await session.call('simulatePayment', { merchantId, id: payment.id, scenario })
      setTransactions(sent.transactions)
      await refresh('payments')
    })
  return (
    <Section title={texts.title}>
      <form
        class="form"
        onSubmit={event => {
          event.preventDefault()
          run()
        }}
      >
        {scenario !== undefined && (
          <>
            <p class="quiet">{texts.what}</p>
            <FormField label={texts.scenario} hint={texts.scenarios[scenario].what}>
              {props => (
                <select
                  class="input"
                  {...props}
                  value={scenario}
                  onChange={event => setChosen(possible.find(each => each === event.currentTarget.value))}
                >
                  {possible.map(each => (
                    <option key={each} value={each}>
                      {texts.scenarios[each].name}
                    </option>
                  ))}
                </select>
              )}
            </FormField>
            <Submit action={action}>{action.isRunning ? texts.running : texts.pay}</Submit>
          </>
        )}
        {action.error !== undefined && <ErrorNote failure={shownFailure(action.error)} />}
        <div role="status">
          {transactions && (
            <>
              <p>{texts.done(formats.count(transactions.length))}</p>
              {transactions.map(hash => (
                <ShortHex key={hash} value={hash} what={texts.transaction} />
              ))}
            </>
          )}
        </div>
      </form>
    </Section>
  )
}

/** As the server accepts them: money can come late to a payment that has ended. */
const scenariosFor = ({ status, crypto }: PaymentWithCrypto): readonly Scenario[] => {
  // Before the customer has chosen, the server pays on the sandbox chain.
  const chainId = crypto?.chainId ?? null
  if (chainId !== null && !findChain(chainId)?.isSandbox) return []
  const hasMoney = crypto !== null && crypto.amountReceived !== '0'
  if (status === 'pending')
    return [
      'paid',
      'underpaid',
      'overpaid',
      'late',
      'wrong_asset',
      ...(hasMoney ? [] : ['reverted' as const]),
      'reorged',
    ]
  const hasEnded = status === 'expired' || status === 'failed' || status === 'canceled'
  return hasEnded && crypto?.asset != null ? ['late'] : []
}
