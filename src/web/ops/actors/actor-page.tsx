import { useRoute } from 'preact-iso'
import type { Actor } from '../../api/ops-calls.ts'
import { PageHead } from '../../dashboard/shell/page-head.tsx'
import { Facts, Section } from '../../dashboard/shell/record.tsx'
import { Result } from '../../dashboard/shell/result.tsx'
import { useTexts } from '../../dashboard/shell/texts.ts'
import { Moment } from '../../parts/moment.tsx'
import { NoteBox } from '../../parts/note.tsx'
import { useReader } from '../../parts/reader.ts'
import { SkeletonRows } from '../../parts/skeleton.tsx'
import { useOpsQuery } from '../shell/ops.ts'
import { useOpsTexts } from '../shell/texts.ts'
import { ActorStory } from './actor-story.tsx'
import { Hindrances } from './hindrances.tsx'
import { PossibleEvents } from './possible-events.tsx'
import { Revisions } from './revisions.tsx'
import { useRevision, useStory } from './story.ts'
import { WhatIf } from './what-if.tsx'

/** One actor: its state, what it waits for, and everything that has happened to it. */
export const ActorPage = () => {
  const { id = '' } = useRoute().params
  const { nav, machines, actor: texts } = useOpsTexts()
  const result = useOpsQuery(['actor', id], (call, signal) => call('getActor', { id }, signal)).value
  const { data } = result
  return (
    <>
      <PageHead
        title={id}
        heading={<code>{id}</code>}
        back={{ href: `/ops/machines/${data?.kind ?? ''}`, label: nav.machines }}
        lead={data && texts.kind(machines.kinds[data.kind], String(data.machineVersion))}
      />
      <Result result={result} skeleton={<SkeletonRows rows={10} />}>
        {actor => (
          <>
            <StuckNote actor={actor} />
            <Hindrances actor={actor} />
            <div class="split">
              <div>
                <PossibleEvents actor={actor} />
                <WhatIf actor={actor} />
              </div>
              <ActorFacts actor={actor} />
            </div>
            <ActorPast actor={actor} />
          </>
        )}
      </Result>
    </>
  )
}

type ActorProps = { readonly actor: Actor }

/** Its revisions, one at a time, and its whole story. */
const ActorPast = ({ actor }: ActorProps) => {
  const revision = useRevision(actor.rev)
  const story = useStory(actor.id, revision.rev)
  return (
    <>
      <Revisions actor={actor} story={story} revision={revision} />
      {story.data && <ActorStory steps={story.data.data} latest={actor.rev} revision={revision} />}
    </>
  )
}

const StuckNote = ({ actor: { stuck } }: ActorProps) => {
  const { actor: texts, nav } = useOpsTexts()
  const { formats } = useReader()
  if (!stuck) return null
  const text = stuck.reason === 'dwell' ? texts.stuckDwell : texts.stuckNoExit
  return (
    <div class="notice">
      <NoteBox title={nav.stuck} tone="bad">
        {text(formats.exact(stuck.since))}
      </NoteBox>
    </div>
  )
}

const ActorFacts = ({ actor }: ActorProps) => {
  const { actor: texts } = useOpsTexts()
  const { mode } = useTexts()
  const { state, rev, createdAt, updatedAt, merchantId, livemode, timers, jobs, related, context } = actor
  const { formats } = useReader()
  return (
    <div>
      <Section title={texts.state}>
        <Facts
          facts={[
            [texts.state, <code>{state}</code>],
            [texts.rev, formats.count(rev)],
            [texts.created, <Moment at={createdAt} />],
            [texts.updated, <Moment at={updatedAt} />],
            [texts.merchant, <code>{merchantId}</code>],
            [texts.mode, livemode ? mode.live : mode.test],
          ]}
        />
      </Section>
      <Section title={texts.timers}>
        {timers.length === 0 && <p class="quiet">{texts.noTimers}</p>}
        <Facts facts={timers.map(({ name, dueAt }) => [<code>{name}</code>, <Moment at={dueAt} />])} />
      </Section>
      <Section title={texts.jobs}>
        {jobs.length === 0 && <p class="quiet">{texts.noJobs}</p>}
        <Facts
          facts={jobs.map(({ task, runAt, attempts, lastError }) => [
            <code>{task}</code>,
            <>
              <Moment at={runAt} /> {attempts > 0 && texts.attempts(formats.count(attempts))}
              {lastError !== null && <span class="table__under">{lastError}</span>}
            </>,
          ])}
        />
      </Section>
      <Section title={texts.related}>
        {related.length === 0 && <p class="quiet">{texts.noRelated}</p>}
        <Facts
          facts={related.map(each => [
            each.relation,
            <>
              <a href={`/ops/actors/${each.id}`}>{each.id}</a> <code>{each.state}</code>
            </>,
          ])}
        />
      </Section>
      <Section title={texts.context}>
        <Facts
          facts={Object.entries(context).map(([name, value]) => [
            <code>{name}</code>,
            <code>{JSON.stringify(value)}</code>,
          ])}
        />
      </Section>
    </div>
  )
}
