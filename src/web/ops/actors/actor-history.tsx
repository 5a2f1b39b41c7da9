import type { OpsTransition } from '../../api/ops-calls.ts'
import { useAddressQuery } from '../../dashboard/shell/filters.tsx'
import { Section } from '../../dashboard/shell/record.tsx'
import { Result } from '../../dashboard/shell/result.tsx'
import { useReader } from '../../parts/reader.ts'
import { SkeletonRows } from '../../parts/skeleton.tsx'
import { StateMark } from '../../parts/state-mark.tsx'
import { Table } from '../../parts/table.tsx'
import { useOpsQuery } from '../shell/ops.ts'
import { useOpsTexts } from '../shell/texts.ts'

type ActorHistoryProps = { readonly id: string; readonly rev: number }

/** Every transition, newest first. The one of the address shows what it changed. */
export const ActorHistory = ({ id, rev }: ActorHistoryProps) => {
  const { actor: texts } = useOpsTexts()
  const result = useOpsQuery(['actor', id, 'transitions'], (call, signal) =>
    call('listActorTransitions', { id, limit: 100, order: 'desc' }, signal),
  ).value
  return (
    <Section title={texts.history} aside={texts.historyWhat}>
      <Result result={result} skeleton={<SkeletonRows rows={4} />}>
        {({ data }) => {
          const chosen = data.find(each => each.rev === rev)
          const before = data.find(each => each.rev === rev - 1)
          return (
            <>
              <ol class="timeline">
                {data.map(each => (
                  <Entry key={each.id} transition={each} isChosen={each === chosen} />
                ))}
              </ol>
              {chosen && <Changes chosen={chosen} before={before} />}
            </>
          )
        }}
      </Result>
    </Section>
  )
}

type EntryProps = { readonly transition: OpsTransition; readonly isChosen: boolean }

const Entry = ({ transition: { rev, event, from, to, at, cause }, isChosen }: EntryProps) => {
  const { formats } = useReader()
  const { addressWith } = useAddressQuery()
  return (
    <li>
      <StateMark shape={isChosen ? 'now' : 'passed'} />
      <div>
        <a href={addressWith({ rev: String(rev) })} aria-current={isChosen ? 'step' : undefined}>
          {rev} <code>{event}</code>
        </a>
        <p>
          {from === to || from === null ? to : `${from} → ${to}`} ·{' '}
          {[cause.type, cause.name ?? cause.id].filter(Boolean).join(' ')}
        </p>
      </div>
      <time datetime={at}>{formats.exact(at)}</time>
    </li>
  )
}

type ChangesProps = { readonly chosen: OpsTransition; readonly before: OpsTransition | undefined }

const Changes = ({ chosen, before }: ChangesProps) => {
  const { actor: texts } = useOpsTexts()
  const changes = changesOf(chosen, before)
  return (
    <Section title={texts.changed(String(chosen.rev))}>
      {chosen.context === null ? (
        <p class="quiet">{texts.notKept}</p>
      ) : changes.length === 0 ? (
        <p class="quiet">{texts.nothingChanged}</p>
      ) : (
        <div class="changes">
          <Table
            label={texts.changed(String(chosen.rev))}
            rows={changes}
            keyOf={({ name }) => name}
            columns={[
              { key: 'field', head: texts.field, card: 1, cell: ({ name }) => <code>{name}</code> },
              { key: 'before', head: texts.before, card: 3, named: true, cell: ({ old }) => old && <code>{old}</code> },
              { key: 'after', head: texts.after, card: 5, named: true, cell: ({ now }) => now && <code>{now}</code> },
            ]}
          />
        </div>
      )}
    </Section>
  )
}

type Change = { readonly name: string; readonly old: string | null; readonly now: string | null }

const changesOf = (chosen: OpsTransition, before: OpsTransition | undefined): readonly Change[] => {
  const textOf = (value: unknown) => (value === undefined ? null : JSON.stringify(value))
  const [old, now] = [
    { state: before?.to, ...before?.context },
    { state: chosen.to, ...chosen.context },
  ] as readonly Readonly<Record<string, unknown>>[]
  return [...new Set([...Object.keys(old ?? {}), ...Object.keys(now ?? {})])]
    .map(name => ({ name, old: textOf(old?.[name]), now: textOf(now?.[name]) }))
    .filter(({ old, now }) => old !== now)
}
