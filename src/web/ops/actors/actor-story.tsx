import type { ComponentChildren } from 'preact'
import type { StoryStep } from '../../api/ops-calls.ts'
import { Section } from '../../dashboard/shell/record.tsx'
import { ShortHex } from '../../parts/address.tsx'
import { useReader } from '../../parts/reader.ts'
import { StateMark } from '../../parts/state-mark.tsx'
import { useOpsTexts } from '../shell/texts.ts'
import type { useRevision } from './story.ts'

type ActorStoryProps = {
  readonly steps: readonly StoryStep[]
  readonly latest: number
  readonly revision: ReturnType<typeof useRevision>
}

/** Everything that has happened, from top to bottom: what led to each change, and what followed from it. */
export const ActorStory = ({ steps, latest, revision }: ActorStoryProps) => {
  const { actor: texts } = useOpsTexts()
  return (
    <Section title={texts.story} aside={texts.storyWhat}>
      <ol class="timeline">
        {steps.map(step => (
          <Step key={step.id} step={step} revision={revision} />
        ))}
      </ol>
      <OtherParts steps={steps} latest={latest} revision={revision} />
    </Section>
  )
}

/** Where the story goes on, if it is not shown in whole. */
const OtherParts = ({ steps, latest, revision }: ActorStoryProps) => {
  const { actor: texts } = useOpsTexts()
  const { formats } = useReader()
  const [first = 1, last = latest] = [steps[0], steps.at(-1)].map(step => step?.transition.rev)
  if (first === 1 && last >= latest) return null
  return (
    <p class="buttons story__parts">
      <span class="quiet">{texts.storyPart(formats.count(first), formats.count(last), formats.count(latest))}</span>
      {first > 1 && (
        <a class="button button--small" href={revision.addressOf(first)}>
          {texts.earlier}
        </a>
      )}
      {last < latest && (
        <a class="button button--small" href={revision.addressOf(last + 1)}>
          {texts.later}
        </a>
      )}
    </p>
  )
}

type StepProps = { readonly step: StoryStep; readonly revision: ActorStoryProps['revision'] }

const Step = ({ step, revision }: StepProps) => {
  const { actor: texts } = useOpsTexts()
  const { formats } = useReader()
  const { rev, event, from, to, at } = step.transition
  const isChosen = rev === revision.rev
  return (
    <li>
      <StateMark shape={isChosen ? 'now' : 'passed'} />
      <div>
        <ul class="story">
          <Before step={step} />
        </ul>
        <a href={revision.addressOf(rev)} aria-current={isChosen ? 'step' : undefined}>
          {rev} <code>{event}</code>
        </a>
        <p>{from === null ? texts.begins(to) : from === to ? texts.stays(to) : `${from} → ${to}`}</p>
        <ul class="story">
          <After step={step} />
        </ul>
      </div>
      <time datetime={at}>{formats.exact(at)}</time>
    </li>
  )
}

const Line = ({ children }: { readonly children: ComponentChildren }) => <li>{children}</li>

/** Who or what caused it, with the request and the command. */
const Before = ({ step: { requestId, commandId, source, transfers, transition } }: { readonly step: StoryStep }) => {
  const { actor: texts } = useOpsTexts()
  const { cause, reason } = transition
  return (
    <>
      {source && (
        <Line>
          {texts.sends} <code>{source.type}</code>{' '}
          {source.actorId === null ? (
            <ShortHex value={source.eventId} what={texts.eventId} />
          ) : (
            <>
              {texts.publishedBy} <ActorLink id={source.actorId} rev={source.rev} />
            </>
          )}
        </Line>
      )}
      {transfers.map((transfer, n) => (
        <Transfer key={n} transfer={transfer} />
      ))}
      <Line>
        {texts.causes[cause.type]} {cause.name ?? (cause.id && <code>{cause.id}</code>)}
        {reason !== null && <q>{reason}</q>}
      </Line>
      {requestId !== null && (
        <Line>
          {texts.request} <ShortHex value={requestId} what={texts.requestId} />
        </Line>
      )}
      {commandId !== null && (
        <Line>
          {texts.command} <ShortHex value={commandId} what={texts.commandId} />
        </Line>
      )}
    </>
  )
}

const Transfer = ({ transfer }: { readonly transfer: StoryStep['transfers'][number] }) => {
  const { actor: texts } = useOpsTexts()
  const { amount, network, txHash, explorerUrl, state, counted } = transfer
  const href = explorerUrl ?? `/ops/search?q=${txHash}`
  return (
    <Line>
      {texts.transfer(amount, network)}{' '}
      {txHash !== null && <ShortHex value={txHash} what={texts.transaction} href={href} />}{' '}
      {texts.transferStates[state]}
      {!counted && `, ${texts.notCounted}`}
    </Line>
  )
}

/** What it has published, and where that was sent. */
const After = ({ step: { events, attempt } }: { readonly step: StoryStep }) => {
  const { actor: texts } = useOpsTexts()
  return (
    <>
      {attempt && (
        <Line>
          <Attempt attempt={attempt} />
        </Line>
      )}
      {events.map(({ id, type, deliveries }) => (
        <Line key={id}>
          {texts.published} <code>{type}</code>{' '}
          <ShortHex value={id} what={texts.eventId} href={`/ops/search?q=${id}`} />
          <ul class="story">
            {deliveries.length === 0 && <li>{texts.noDelivery}</li>}
            {deliveries.map(delivery => (
              <li key={delivery.id}>
                {texts.delivery} <ActorLink id={delivery.id} /> <code>{delivery.state}</code>
                <ul class="story">
                  {delivery.attempts.map(each => (
                    <li key={each.number}>
                      <Attempt attempt={each} />
                    </li>
                  ))}
                </ul>
              </li>
            ))}
          </ul>
        </Line>
      ))}
    </>
  )
}

const ActorLink = ({ id, rev }: { readonly id: string; readonly rev?: number }) => {
  const { actor: texts } = useOpsTexts()
  const query = rev === undefined ? '' : `?rev=${rev}`
  return <ShortHex value={id} what={texts.actorId} href={`/ops/actors/${id}${query}`} />
}

const Attempt = ({ attempt }: { readonly attempt: NonNullable<StoryStep['attempt']> }) => {
  const { actor: texts } = useOpsTexts()
  const { formats } = useReader()
  const { number, outcome, httpStatus } = attempt
  const tone = outcome === null ? 'quiet' : outcome === 'delivered' ? 'good' : 'bad'
  const answer =
    outcome === null
      ? texts.underWay
      : httpStatus === null
        ? texts.noAnswer(outcome)
        : texts.answered(String(httpStatus))
  return (
    <span class="story__attempt" data-tone={tone}>
      {texts.attempt(formats.count(number), answer)}
    </span>
  )
}
