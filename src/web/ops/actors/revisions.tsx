import { useLocation } from 'preact-iso'
import type { Actor, StoryStep } from '../../api/ops-calls.ts'
import { Section } from '../../dashboard/shell/record.tsx'
import { Result } from '../../dashboard/shell/result.tsx'
import { Icon } from '../../parts/icon.tsx'
import { useReader } from '../../parts/reader.ts'
import { SkeletonRows } from '../../parts/skeleton.tsx'
import { charts } from '../machines/charts.ts'
import { MachineChart } from '../machines/machine-chart.tsx'
import { useOpsTexts } from '../shell/texts.ts'
import { ChangesTable } from './changes-table.tsx'
import { changesOf, machineOnPath, useMachine, type useRevision, type useStory } from './story.ts'

type RevisionsProps = {
  readonly actor: Actor
  readonly story: ReturnType<typeof useStory>
  readonly revision: ReturnType<typeof useRevision>
}

/** One revision at a time. The slider stays while others are read. */
export const Revisions = ({ actor, story, revision }: RevisionsProps) => {
  const { actor: texts } = useOpsTexts()
  return (
    <Section title={texts.revisions} aside={texts.revisionsWhat}>
      <Scrubber latest={actor.rev} revision={revision} />
      <Result result={story} skeleton={<SkeletonRows rows={6} />}>
        {({ data }) => <Revision actor={actor} steps={data} rev={revision.rev} />}
      </Result>
    </Section>
  )
}

type RevisionProps = { readonly actor: Actor; readonly steps: readonly StoryStep[]; readonly rev: number }

/** Where the machine was, and what has changed. */
const Revision = ({ actor, steps, rev }: RevisionProps) => {
  const { actor: texts } = useOpsTexts()
  const { formats } = useReader()
  const find = (wanted: number) => steps.find(({ transition }) => transition.rev === wanted)?.transition
  const [chosen, before] = [find(rev), find(rev - 1)]
  const first = steps[0]?.transition.rev ?? 1
  const title = texts.changed(String(rev))
  return (
    <>
      {chosen && (
        <p class="scrub__what" aria-live="polite">
          <code>{chosen.event}</code>{' '}
          {chosen.from === chosen.to || chosen.from === null ? chosen.to : `${chosen.from} → ${chosen.to}`}
        </p>
      )}
      <ActorChart actor={actor} steps={steps} rev={rev} state={chosen?.to} />
      {first > 1 && <p class="quiet">{texts.pathFrom(formats.count(first))}</p>}
      <h3 class="actor__sub">{title}</h3>
      {chosen?.context === null ? (
        <p class="quiet">{texts.notKept}</p>
      ) : (
        chosen && <ChangesTable label={title} changes={changesOf(chosen, before)} />
      )}
    </>
  )
}

const Scrubber = ({
  latest,
  revision: { rev, go },
}: { readonly latest: number } & Pick<RevisionsProps, 'revision'>) => {
  const { actor: texts } = useOpsTexts()
  const { formats } = useReader()
  return (
    <div class="scrub">
      <button
        type="button"
        class="icon-button"
        aria-label={texts.stepBack}
        aria-keyshortcuts="ArrowLeft"
        aria-disabled={rev === 1}
        onClick={() => go(rev - 1)}
      >
        <Icon name="left" />
      </button>
      <input
        type="range"
        min={1}
        max={latest}
        value={rev}
        aria-label={texts.rev}
        disabled={latest === 1}
        onInput={event => go(Number(event.currentTarget.value))}
      />
      <button
        type="button"
        class="icon-button"
        aria-label={texts.stepOn}
        aria-keyshortcuts="ArrowRight"
        aria-disabled={rev === latest}
        onClick={() => go(rev + 1)}
      >
        <Icon name="right" />
      </button>
      <output>{texts.revOf(formats.count(rev), formats.count(latest))}</output>
    </div>
  )
}

type ActorChartProps = RevisionProps & { readonly state: string | undefined }

const ActorChart = ({ actor: { kind }, steps, rev, state }: ActorChartProps) => {
  const { route } = useLocation()
  const machine = useMachine(kind)
  const chart = charts[kind]
  if (!machine || !chart) return null
  return (
    <MachineChart
      chart={chart}
      machine={machineOnPath(machine, steps, rev)}
      selected={state}
      onSelect={picked => route(`/ops/machines/${kind}?state=${picked}`)}
    />
  )
}
