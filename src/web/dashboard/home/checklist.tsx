import type { ComponentChildren } from 'preact'
import { useLocation } from 'preact-iso'
import { ErrorNote } from '../../parts/error-note.tsx'
import { StateMark } from '../../parts/state-mark.tsx'
import { showToast } from '../../parts/toast.tsx'
import { useEventTypes } from '../event-types/texts.ts'
import { type Action, useAction } from '../shell/action.ts'
import { shownFailure } from '../shell/failure.ts'
import { useRefresh } from '../shell/queries.ts'
import { useAddress, useIsOwner, useScope, useShop } from '../shell/shop.ts'
import { openInbox } from '../webhooks/open-inbox.ts'
import { payLink } from './first-actions.ts'
import { type FirstHour, type Step, type StepName, stepsOf } from './first-hour.ts'
import { type HomeTexts, useHomeTexts } from './texts.ts'

type ChecklistProps = { readonly facts: FirstHour }

/** The steps of the first hour. The first that is not done has its button. */
export const Checklist = ({ facts }: ChecklistProps) => {
  const { livemode } = useShop()
  const action = useAction()
  const steps = stepsOf(facts, { livemode, isOwner: useIsOwner() })
  const next = steps.find(({ isDone }) => !isDone)
  return (
    <ol class="todo">
      {steps.map(step => (
        <li key={step.name} data-at={step === next ? 'now' : step.isDone ? 'done' : undefined}>
          <StateMark shape={step.isDone ? 'done' : step === next ? 'now' : 'next'} />
          {step === next ? (
            <NextStep step={step} facts={facts} action={action} />
          ) : (
            <OtherStep step={step} facts={facts} />
          )}
        </li>
      ))}
    </ol>
  )
}

type StepProps = ChecklistProps & { readonly step: Step }

const OtherStep = ({ step: { name, isDone }, facts }: StepProps) => {
  const texts = useHomeTexts()
  const address = useAddress()
  return (
    <div>
      {isDone && <span class="sr">{texts.doneMark} </span>}
      {texts.steps[name]}
      {name === 'webhook' && isDone && facts.inbox && (
        <a href={address('webhooks', facts.inbox.id)}>{texts.seeInbox}</a>
      )}
    </div>
  )
}

const NextStep = ({ step: { name }, facts, action }: StepProps & { readonly action: Action }) => {
  const texts = useHomeTexts()
  // An account and a shop exist, and the sandbox wallet needs nothing.
  if (name === 'account' || name === 'shop' || name === 'wallet') return <b>{texts.steps[name]}</b>
  return (
    <div>
      <b>{texts.steps[name]}</b>
      <p>{texts.todo[name].what}</p>
      <NextAction name={name} facts={facts} action={action} />
      {action.error !== undefined && <ErrorNote failure={shownFailure(action.error)} />}
    </div>
  )
}

type NextActionProps = ChecklistProps & { readonly name: keyof HomeTexts['todo']; readonly action: Action }

const NextAction = ({ name, facts, action }: NextActionProps) => {
  const texts = useHomeTexts()
  const { session, account } = useShop()
  const { merchantId } = useScope()
  const refresh = useRefresh()
  const address = useAddress()
  const { route } = useLocation()
  const eventTypes = useEventTypes()
  const { action: label } = texts.todo[name]
  /** The work returns what was done. */
  const run = (work: () => Promise<string>) => () =>
    void action.run(async () => {
      const done = await work()
      await Promise.all([refresh('home'), refresh('payments'), refresh('webhooks')])
      showToast(done)
    })
  const pages: Partial<Record<StepName, string>> = {
    link: address('links', 'new'),
    key: address('keys'),
    mfa: address('account'),
    address: `${address('settings')}?part=receiving`,
  }
  const page = pages[name]
  if (page !== undefined)
    return (
      <a class="button button--primary" href={page}>
        {label}
      </a>
    )
  if (name === 'pay')
    return (
      <StepButton
        action={action}
        onClick={run(async () => {
          const id = await payLink(session, { merchantId, email: account.user.email }, facts)
          route(address('payments', id))
          return texts.paid
        })}
      >
        {label}
      </StepButton>
    )
  if (name === 'webhook')
    return (
      <StepButton
        action={action}
        onClick={run(async () => {
          const { id, hasArrived } = await openInbox(session, { merchantId, existing: facts.inbox, eventTypes })
          route(address('webhooks', id))
          return hasArrived ? texts.arrived : texts.notArrived
        })}
      >
        {label}
      </StepButton>
    )
  return null
}

type StepButtonProps = { readonly action: Action; readonly onClick: () => void; readonly children: ComponentChildren }

const StepButton = ({ action, onClick, children }: StepButtonProps) => (
  <button type="button" class="button button--primary" aria-disabled={action.isRunning} onClick={onClick}>
    {children}
  </button>
)
